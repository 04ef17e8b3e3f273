"""Rules of what reads or writes at places, or in a part."""
