"""Every action of the window: the table, its menus and keys, and the palette that finds them by typing."""
