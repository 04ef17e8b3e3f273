"""Hooks of nodes, of several tensors, and around what nodes save."""
