"""The backward pass: the loops over the tape, what each node sends, and what becomes of `.grad`."""
