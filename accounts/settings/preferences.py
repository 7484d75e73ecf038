"""How pages look to a person, and in which language: stored with the account, so the same in every browser."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.access import AccountAction
from accounts.models import CodeSaving, ProfileAudience, Theme, User
from common.errors import Invalid


def _store(user: User, field: str, value: str) -> None:
    setattr(user, field, value)
    user.save(update_fields=[field, "updated_at"])


@transaction.atomic
def choose_theme(*, actor: Actor, user: User, theme: str) -> None:
    """Store light, dark, or "" for as the system has it (ACC-5).

    Raises:
        Invalid: there is no such theme.
    """
    require(actor, AccountAction.UPDATE, user)
    if theme not in Theme.values:
        raise Invalid(_("Unknown theme."))
    _store(user, "theme", theme)


@transaction.atomic
def choose_language(*, actor: Actor, user: User, language: str) -> None:
    """Store the language of pages and mails, "" for what the browser asks for (UI-9).

    Raises:
        Invalid: there is no such language.
    """
    require(actor, AccountAction.UPDATE, user)
    if language and language not in dict(settings.LANGUAGES):
        raise Invalid(_("Unknown language."))
    _store(user, "language", language)


@transaction.atomic
def choose_code_saving(*, actor: Actor, user: User, choice: str) -> None:
    """Store whether SDKs save code: always, never, or "" for as the script asks.

    Raises:
        Invalid: there is no such choice.
    """
    require(actor, AccountAction.UPDATE, user)
    if choice not in CodeSaving.values:
        raise Invalid(_("Unknown choice."))
    _store(user, "code_saving", choice)


@transaction.atomic
def choose_audience(*, actor: Actor, user: User, audience: str) -> None:
    """Store who sees the person's profile besides themselves (ACC-3).

    Raises:
        Invalid: there is no such audience.
    """
    require(actor, AccountAction.UPDATE, user)
    if audience not in ProfileAudience.values:
        raise Invalid(_("Choose who sees your profile."))
    before = user.profile_visible_to
    if before != audience:
        _store(user, "profile_visible_to", audience)
        record(
            actor, AccountAction.UPDATE, user, before={"profile_visible_to": before},
            after={"profile_visible_to": audience},
        )  # fmt: skip


def language_of(user: User) -> str:
    """Return the language to write to a person in; one that was taken out since counts as not chosen."""
    return user.language if user.language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


@contextmanager
def in_language_of(user: User | None) -> Iterator[None]:
    """Speak the language of whoever gets the mail that is written inside; without a user the default one."""
    with translation.override(language_of(user) if user else settings.LANGUAGE_CODE):
        yield
