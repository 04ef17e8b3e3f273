"""What is drawn, as arrays and texts, and what it looks like at a position."""
