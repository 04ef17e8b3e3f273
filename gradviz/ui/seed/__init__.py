"""The seed laboratory: a v of one's own, and all that follows from it."""
