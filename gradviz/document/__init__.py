"""How a recording is spelt: one table of fields, of which writer, reader, checks, schema and frames are made.

It loads numpy and nothing slower, since the process that runs a script uses it too.
"""
