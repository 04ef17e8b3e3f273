"""Conditions on nodes: what a search finds, and where playing stops."""
