"""The page that plays a recording."""
