"""gradviz: step through what backward() really does."""

__version__ = "0.1.0"
