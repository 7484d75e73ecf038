"""Changes to alerts, where they go, and automations."""
