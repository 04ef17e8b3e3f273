"""Finding one's way: the find bar, paths, back and forward, from node to line and back."""
