"""Telling people and programs what happened: alerts, and where they go (ALR)."""
