"""The seed editor: backward once more with a v of one's own."""
