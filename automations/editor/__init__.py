"""The editor of automations: its form, and the filters that its fields stand for."""
