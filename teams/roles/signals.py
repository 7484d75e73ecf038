"""Sends `rights_changed` after the commit, so that cached permissions are dropped."""

from functools import partial

from django.db import transaction

from access.signals import rights_changed
from teams.models import Membership


def send_rights_changed() -> None:
    """Say after commit that somebody may do more or less than before."""
    transaction.on_commit(partial(rights_changed.send, Membership))
