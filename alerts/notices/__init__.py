"""Notices: what is sent, whatever the way, and how much of a digest is shown."""
