"""The product at a node: v, the local Jacobian that is never built, and v·J."""
