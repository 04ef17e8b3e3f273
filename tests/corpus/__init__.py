"""Scripts and notebooks in the style of many authors, with what PyTorch printed for each."""
