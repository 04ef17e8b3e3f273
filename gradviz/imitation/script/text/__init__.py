"""What is found in a script's text, and changed in it, without running it."""
