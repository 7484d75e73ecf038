"""Sent after commit, with ids; alerts and billing listen."""

from django.dispatch import Signal

run_created = Signal()
"""``run_id``."""

run_state_changed = Signal()
"""``run_id``, ``state``, ``before``."""

run_alert_sent = Signal()
"""``alert_id``."""
