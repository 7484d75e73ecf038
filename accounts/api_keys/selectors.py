"""Reads of API keys."""

from django.db.models import QuerySet

from access.actor import Actor
from access.engine import visible
from accounts.access import AccountAction
from accounts.models import ApiKey


def api_keys_of(actor: Actor) -> QuerySet[ApiKey]:
    """Return the actor's own keys, newest first."""
    return visible(actor, AccountAction.VIEW_KEYS, ApiKey.objects.filter(user_id=actor.lookup_id))
