"""The second wall: a process that has nothing. See `gradviz.run.confine.walls`."""
