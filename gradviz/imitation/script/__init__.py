"""Text or notebook to Recording, by interpreting an allow-list of Python. Never exec, eval or import."""
