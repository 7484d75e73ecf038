"""Manifests: the documents that say what a version consists of."""
