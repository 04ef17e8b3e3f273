"""The application: whether a window can be shown, its start, its settings, and the report when it fails."""
