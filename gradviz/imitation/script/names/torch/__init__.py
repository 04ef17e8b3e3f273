"""`torch` as a script sees it."""
