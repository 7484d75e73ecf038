"""What operators change while the installation runs: who may sign up, whom to ask for help, an announcement.

The environment wins: a variable that is given is not changed from pages. What is stored is read by a function of
`accounts`, which has the table (INSTALLATION_SETTINGS_READER).
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

logger = logging.getLogger(__name__)

VARIABLES = {
    "signup": ("RUNYARD_SIGNUP", "RUNYARD_SIGNUP_OPEN"),
    "signup_domains": ("RUNYARD_SIGNUP_DOMAINS",),
    "support_contact": ("RUNYARD_SUPPORT_CONTACT",),
    "announcement": (),
}
"""Names of what can be stored, and the variables of the environment that win over it."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What operators tell everybody, above every page."""

    text: str
    severity: str = "info"
    """info, warning or danger."""
    until: datetime | None = None


def is_given(name: str) -> bool:
    """Whether the environment decides it."""
    return any(settings.ENVIRONMENT[variable].is_given for variable in VARIABLES[name])


def _stored(name: str) -> Any:
    if is_given(name):
        return None
    read = import_string(settings.INSTALLATION_SETTINGS_READER)
    try:
        return read().get(name)
    except Exception:  # pages of errors ask, too, when the database or the cache is what fails
        logger.warning("What is stored of the installation's settings cannot be read.", exc_info=True)
        return None


def signup() -> str:
    """Return who may make an account: "open" or "invitation" (ACC-22)."""
    return str(_stored("signup") or settings.SIGNUP)


def signup_domains() -> list[str]:
    """Return the domains of addresses that may sign up; none: all may."""
    found = _stored("signup_domains")
    return list(settings.SIGNUP_DOMAINS if found is None else found)


def support_contact() -> str:
    """Return the address or URL that helps, "" for none (ACC-24)."""
    found = _stored("support_contact")
    return str(settings.SUPPORT_CONTACT if found is None else found)


def announcement() -> Announcement | None:
    """Return what is announced now."""
    stored = _stored("announcement")
    if not stored or not stored.get("text"):
        return None
    until = datetime.fromisoformat(stored["until"]) if stored.get("until") else None
    if until is not None and until <= timezone.now():
        return None
    return Announcement(stored["text"], stored.get("severity", "info"), until)
