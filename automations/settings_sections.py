"""What automations add to settings and to the search."""

from collections.abc import Iterator

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from accounts.settings.sections import Section, SectionGroup, SettingsScope, register_sections
from automations.access import AutomationAction
from automations.editor.words import event_words
from automations.selectors import seen_automations
from automations.views.scope import home_of
from common.search import Hit, register_search


def register() -> None:
    """Tell `accounts` and the search."""
    label, words = _("Automations"), _("trigger webhook slack metric threshold event")
    group = SectionGroup.NOTIFICATIONS
    register_sections(
        SettingsScope.USER, Section(label, "zap", "automations:own_automations", group, 20, words=words)
    )
    view = AutomationAction.VIEW
    register_sections(
        SettingsScope.TEAM, Section(label, "zap", "automations:team_automations", group, 20, view)
    )
    register_search(label, icon="zap", rank=25, find=find_automations)


def find_automations(actor: Actor, text: str, limit: int) -> Iterator[Hit]:
    """Yield automations by words of their name, project and team; nothing for no text."""
    if not text:
        return
    rows = seen_automations(actor)
    for word in text.replace("/", " ").split():
        rows = rows.filter(
            Q(name__icontains=word) | Q(project__name__icontains=word) | Q(team__name__icontains=word)
        )
    for row in rows.order_by("name", "pk")[:limit]:
        yield Hit(row.name, home_of(row).url("automation", row.pk), detail=event_words(row))
