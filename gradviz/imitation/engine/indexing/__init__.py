"""`tensor[index]` read and written, and what PyTorch says of an index that does not fit."""
