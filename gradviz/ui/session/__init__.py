"""From a text to a picture: the document, its runs and layouts off the GUI thread, and the clock. Draws nothing."""
