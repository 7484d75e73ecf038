"""Operator rights in other people's organizations: used only on request, always audited (TEAM-21)."""

import dataclasses

from django.contrib.auth import get_user_model

from access.actor import Actor
from access.audit.log import record

HEADER = "Use-Admin-Privileges"
"""The SDK's public API sends it with every request, whoever asks."""


def elevated(actor: Actor, header: str, *, what: str) -> Actor:
    """Return the actor with an operator's rights if they are one, asked for them, and their key is not scoped.

    Args:
        actor: Who asks.
        header: The value of ``HEADER``, "" when it was not sent.
        what: What the audit log says was asked for.
    """
    if header.lower() != "true" or actor.user_id is None or actor.scopes is not None:
        return actor
    user = (
        get_user_model()._default_manager.filter(pk=actor.user_id, is_operator=True, is_active=True).first()
    )
    if user is None:
        return actor
    record(actor, "operator.elevated", user, after={"operation": what[:200]})
    return dataclasses.replace(actor, elevated=True)
