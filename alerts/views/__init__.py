"""Pages of alerts, destinations and secrets."""
