"""Losses, and what all of them share."""
