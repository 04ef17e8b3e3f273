"""A recording as text for other programs and for paper: graphs, tables of steps, a script for numpy."""
