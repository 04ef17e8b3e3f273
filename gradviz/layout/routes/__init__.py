"""Where edges run between the boxes."""
