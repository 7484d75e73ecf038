"""Signals of the permission engine, sent after commit."""

from django.dispatch import Signal

rights_changed = Signal()
"""A key, role, membership or visibility changed: drop every cached permission. Carries nothing."""
