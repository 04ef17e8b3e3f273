"""Sources that nobody would write, and a machine that reads them under guard."""
