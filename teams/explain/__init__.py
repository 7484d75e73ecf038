"""Explanations of why somebody may or may not do something."""
