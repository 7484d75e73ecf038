"""What apps above have a say in: new users, new keys. Unlike signals after commit, all run inside the transaction."""

from collections.abc import Callable, Collection
from datetime import datetime

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


KeyRule = Callable[[User, datetime | None, Collection[str] | None], None]
_key_rules: list[KeyRule] = []


def register_key_rule(rule: KeyRule) -> None:
    """Ask ``rule`` of each new API key, by owner, end and scopes; it raises to refuse. For ``AppConfig.ready``."""
    if rule not in _key_rules:
        _key_rules.append(rule)


def check_key_rules(owner: User, expires_at: datetime | None, scopes: Collection[str] | None) -> None:
    """Let pass a key that no rule refuses."""
    for rule in _key_rules:
        rule(owner, expires_at, scopes)


KeyContacts = Callable[[User], tuple[list[User], str]]
_key_contacts: list[KeyContacts] = []


def register_key_contacts(lookup: KeyContacts) -> None:
    """Let ``lookup`` say who looks after a program's keys, and at which path; called in ``AppConfig.ready``."""
    if lookup not in _key_contacts:
        _key_contacts.append(lookup)


def key_contacts(owner: User) -> tuple[list[User], str]:
    """Return the people who look after a program's keys, and the path of their page."""
    found = [lookup(owner) for lookup in _key_contacts]
    return next((contacts for contacts in found if contacts[0]), ([], ""))


GroupsHook = Callable[[User, str, frozenset[str]], None]
_groups_hooks: list[GroupsHook] = []


def register_groups_hook(hook: GroupsHook) -> None:
    """Call ``hook(user, provider, groups)`` when a provider names somebody's groups; called in ``AppConfig.ready``."""
    if hook not in _groups_hooks:
        _groups_hooks.append(hook)


def run_groups_hooks(user: User, provider: str, groups: frozenset[str]) -> None:
    """Run them all, at each sign-in through the provider."""
    for hook in _groups_hooks:
        hook(user, provider, groups)
