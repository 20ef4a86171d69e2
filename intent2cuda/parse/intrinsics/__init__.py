"""One file for each family of calls: arguments are checked, ops are made."""
