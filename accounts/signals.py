"""Hooks of user creation. Unlike signals after commit, these run inside the creating transaction."""

from collections.abc import Callable

from django.http import HttpRequest

from accounts.models import User

NewUserHook = Callable[[User], None]
_hooks: list[NewUserHook] = []

InvitedAddress = Callable[[HttpRequest], str]
_invitations: list[InvitedAddress] = []


def register_new_user_hook(hook: NewUserHook) -> None:
    """Run ``hook`` in the transaction that creates a user; called in ``AppConfig.ready``."""
    if hook not in _hooks:
        _hooks.append(hook)


def run_new_user_hooks(user: User) -> None:
    """Run them all; one that raises undoes the user."""
    for hook in _hooks:
        hook(user)


def register_invited_address(lookup: InvitedAddress) -> None:
    """Let ``lookup`` say as which address a browser was invited, "" for none; called in ``AppConfig.ready``."""
    if lookup not in _invitations:
        _invitations.append(lookup)


def invited_address(request: HttpRequest) -> str:
    """Return the address, in lower case, whose mailed invitation this browser has opened, or ""."""
    return next(filter(None, (lookup(request) for lookup in _invitations)), "")
