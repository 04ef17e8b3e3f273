"""Frames around groups: the room they take, and the edges that enter or pass them."""
