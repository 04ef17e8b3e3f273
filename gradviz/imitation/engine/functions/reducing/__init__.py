"""Functions that make fewer numbers of many, running results, order and counts."""
