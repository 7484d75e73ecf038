"""REST: alerts, destinations and secrets."""
