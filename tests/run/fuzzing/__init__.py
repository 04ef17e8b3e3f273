"""Sources that nobody would write, and a process that runs them under watch."""
