"""Code that every app may use. It has no models and imports no app."""

VERSION = "0.1.0"
"""Of this release, as in pyproject.toml."""
