"""Numbers: tensors, rules and the backward pass, on numpy and the standard library only."""
