"""The command line: `runyard` of an installed wheel, `manage.py` of a checkout."""

OURS = ("serve", "web", "worker", "health", "demo")
"""Modules of this package, each with `main` and `HELP`; Django's own way would load Django into a process of each."""
