"""The names a script finds: Python's builtins and the modules it can import. The allow-list, in tables."""
