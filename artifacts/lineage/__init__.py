"""Lineage: which runs logged a version, which used it, and what they made of it."""
