"""What ails a run: where NaN is born, where the graph was cut, what is still saved, which gradients vanish."""
