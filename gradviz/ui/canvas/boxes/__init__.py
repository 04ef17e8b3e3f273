"""Boxes and frames drawn, from spots of colour to whole cards."""
