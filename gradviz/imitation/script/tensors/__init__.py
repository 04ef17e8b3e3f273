"""What a script finds on a tensor, and on the nodes behind it."""
