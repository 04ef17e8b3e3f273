"""How anything is drawn: many lines at once, text, marks."""
