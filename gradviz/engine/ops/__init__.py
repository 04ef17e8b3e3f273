"""The table of ops, one file per family: each holds the rows of its ops and the functions that people call."""
