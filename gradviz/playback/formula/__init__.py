"""The rule of an op as people write it, with letters and with its numbers."""
