"""What a function, a module or a round of a loop made, folded to one box and told as one step."""
