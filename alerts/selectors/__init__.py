"""Reads about alerts, destinations, secrets and automations."""
