"""One integer over a frozen record: player, frame, words. Knows no Qt."""
