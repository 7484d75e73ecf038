"""Automations and destinations in the SDK's words: triggers and integrations, read and written."""
