"""Destinations: the Slack channels and webhooks of teams and people."""
