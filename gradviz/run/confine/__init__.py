"""What keeps a script to its process, which has nothing. See `gradviz.run.confine.walls`."""
