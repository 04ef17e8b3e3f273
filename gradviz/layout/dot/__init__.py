"""Graphviz dot, in a process of its own."""
