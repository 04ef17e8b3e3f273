"""How much a script may ask for: sizes, memory, depth, and what is kept of a long run."""
