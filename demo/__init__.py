"""Fills a running server with an organization and some hundred runs, for trying it out and for pictures."""
