"""Requests to addresses that people wrote, kept out of the installation's own network."""
