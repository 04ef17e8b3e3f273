"""Derivatives that are ops of their own, such as `sigmoid_backward`, for derivatives of derivatives (create_graph)."""
