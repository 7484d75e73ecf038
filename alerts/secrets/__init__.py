"""Secrets that webhooks send and sign with."""
