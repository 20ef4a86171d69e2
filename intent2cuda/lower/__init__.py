"""Layer 6: from a concrete plan to the machine program. Nothing is decided here: what the plan says is spelled out."""
