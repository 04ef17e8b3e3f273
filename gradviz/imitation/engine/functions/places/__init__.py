"""Functions that read or write at places, or in a part."""
