"""What whoever records a run, or reads a recording, decides alike. Python 3.9 and the standard library are enough."""
