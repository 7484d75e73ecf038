"""Pages of automations."""
