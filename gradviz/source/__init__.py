"""What is read off a text, or changed in it, without running it."""
