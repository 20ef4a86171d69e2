"""Layer 7: what people look at when they review emitted code."""
