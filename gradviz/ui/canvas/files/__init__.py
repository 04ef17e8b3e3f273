"""The picture as a PNG, SVG or PDF file."""
