"""How anything is drawn quickly: pixels, many lines at once, text, stamps."""
