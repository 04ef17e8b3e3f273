"""Random programs as scripts: written by rule, read by gradviz, and compared with what PyTorch says of them."""
