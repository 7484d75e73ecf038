"""Payloads of webhooks: templates, their variables, and presets of services."""
