"""The heat strip: every parameter in every backward call."""
