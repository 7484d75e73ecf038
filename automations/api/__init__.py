"""REST: automations and what they did."""
