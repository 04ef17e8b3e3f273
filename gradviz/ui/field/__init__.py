"""The arrow field: a scalar function of two numbers as a surface, with its gradient as arrows."""
