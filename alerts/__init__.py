"""Notifying people and programs of what happened: alerts, and where they go (ALR)."""
