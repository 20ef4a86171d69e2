"""What the operations of the language compute, in NumPy: pure functions of arrays. Imported only where values exist."""
