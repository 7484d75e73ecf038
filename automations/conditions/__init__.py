"""What automations wait for: events, filters, conditions on metrics, and how these are said."""
