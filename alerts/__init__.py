"""Telling people and programs what happened: alerts, where they go, and automations (ALR)."""
