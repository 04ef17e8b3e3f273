"""Rules of what moves numbers without changing them."""
