"""The functions that people call, one file per family: each checks what it is given and applies rows of `gradviz.ops`."""
