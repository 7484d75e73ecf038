"""Code that every app may use. It has no models and imports no app."""

VERSION = "0.2.0.dev0"
"""Of this release; the wheels, the image and the chart take it from here."""
