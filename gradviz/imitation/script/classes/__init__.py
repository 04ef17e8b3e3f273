"""Classes that a script makes, and what Python does for them."""
