"""Edges drawn, from straight lines to curves with arrowheads."""
