"""The layered layout in numpy: layers, their order, and where each box stands."""
