"""Deciding when metrics meet conditions, live and in previews."""
