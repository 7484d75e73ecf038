"""REST: alerts."""
