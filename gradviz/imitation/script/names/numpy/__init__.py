"""`numpy` as a script sees it."""
