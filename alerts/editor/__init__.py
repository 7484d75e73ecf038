"""The editor of automations: its form, and what its fields mean as the SDK's event filter."""
