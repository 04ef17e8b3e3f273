"""A small torch on numpy: tensors that record, one table of ops, one reverse loop. `import gradviz.engine as torch`."""
