"""Values as texts: formatted by a script, and as a notebook shows them."""
