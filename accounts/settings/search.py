"""What accounts add to the search: settings pages and people."""

from collections.abc import Iterator

from django.urls import reverse

from access.actor import Actor
from accounts.settings.sections import SettingsScope, sections_for
from common.search import Hit


def find_settings(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield settings pages whose name or other words hold every word typed; none for no text."""
    if actor.user_id is None or not text:
        return
    words = text.lower().split()
    for section in sections_for(actor, SettingsScope.USER):
        haystack = f"{section.label} {section.words}".lower()
        if all(word in haystack for word in words):
            yield Hit(str(section.label), reverse(section.route), icon=section.icon)
