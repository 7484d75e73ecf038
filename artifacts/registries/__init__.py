"""Registries: who may what in them, what they take in, and how they are created and changed."""
