"""Python's builtins as a script sees them."""
