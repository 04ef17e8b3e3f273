"""The picture as a PNG or SVG file."""
