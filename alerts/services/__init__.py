"""What changes alerts, destinations, secrets and automations."""
