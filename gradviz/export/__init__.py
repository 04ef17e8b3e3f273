"""Files of every kind. A format is one row: its function in a file of this room, its place in `table`."""
