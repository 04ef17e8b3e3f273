"""How everything looks: colours, sizes, fonts, icons, and the labels that lay out text."""
