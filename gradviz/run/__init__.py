"""From a text to a recording: the script runs in a confined process of its own, and what comes back is data."""
