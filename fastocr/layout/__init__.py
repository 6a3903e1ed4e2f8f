"""Layout: the order in which the lines of a page are read."""
