"""A finished run that can be asked: forward again, v·J, J·u, H·u, the check of rules, what-ifs, the second graph."""
