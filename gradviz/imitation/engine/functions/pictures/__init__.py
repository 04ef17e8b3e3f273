"""Functions that slide over pictures, pad them, or make them larger or smaller."""
