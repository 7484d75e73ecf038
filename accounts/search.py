"""What accounts add to the search: settings pages and people."""

from collections.abc import Iterator

from django.urls import reverse
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from common.search import Hit

_PAGES = (
    ("accounts:api_keys", _("API keys"), "key-round", "token sdk login wandb"),
    ("account_email", _("Email addresses"), "mail", "mail notifications verify"),
    ("account_change_password", _("Password"), "lock", "security sign in"),
)
"""Route, name, icon, and other words people type for it."""


def find_settings(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield settings pages whose name or other words hold every word typed; all of them for no text."""
    if actor.user_id is None:
        return
    words = text.lower().split()
    for route, name, icon, others in _PAGES:
        haystack = str(format_lazy("{} {}", name, others)).lower()
        if all(word in haystack for word in words):
            yield Hit(str(name), reverse(route), icon=icon)
