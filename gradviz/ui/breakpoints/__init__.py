"""Breakpoints: where the player stops and why, and the list of them."""
