"""Pages of alerts, destinations, secrets and automations."""
