"""Recording to file and back, one module per format."""
