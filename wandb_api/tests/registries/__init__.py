"""Registries as SDKs ask for them."""
