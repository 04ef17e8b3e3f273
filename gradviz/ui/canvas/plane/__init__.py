"""Places and curves in plain numbers: the view, rectangles, what is near."""
