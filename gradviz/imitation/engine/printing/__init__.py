"""Tensors and their numbers as texts, in results and in messages."""
