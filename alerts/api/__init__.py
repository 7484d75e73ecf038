"""REST: alerts, destinations, secrets and automations."""
