"""Rules of what makes fewer numbers of many, of running results, and of choices by order."""
