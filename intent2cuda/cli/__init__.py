"""Layer 9: the command line, one verb a file."""
