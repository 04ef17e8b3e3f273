"""The canvas: the computational graph as a picture that steps, on the screen and in files."""
