"""The sections of settings pages. Each app registers its own; the rail and the search are made of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby

from django.db.models import Model, TextChoices
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.actor import Actor
from access.engine import can


class SettingsScope(StrEnum):
    """Whose settings a section belongs to."""

    USER = "user"
    TEAM = "team"
    ORGANIZATION = "organization"


class SectionGroup(TextChoices):
    """A heading of a rail, in the order of every rail."""

    ACCOUNT = "account", _("Account")
    PEOPLE = "people", _("People")
    GENERAL = "general", _("General")
    ACCESS = "access", _("Access")
    NOTIFICATIONS = "notifications", _("Notifications")
    USAGE = "usage", _("Usage")


@dataclass(frozen=True, slots=True)
class Section:
    """One entry of a rail; its page has a URL of its own and saves on its own (ACC-2)."""

    label: str | Promise
    icon: str
    route: str
    """Name of the page's route. Those of teams and organizations take the name, and only that."""
    group: SectionGroup
    rank: int
    needs: str = ""
    """The action on the team or organization without which the section is not shown; "" shows it always."""
    words: str | Promise = ""
    """Other words that people type into the search for it."""
    under: str = ""
    """The route of the section whose page leads to this one, which then is in no rail; "" for an entry."""
    variant: "Callable[[Actor, Model | None], Section | None] | None" = None
    """Asked with the viewer and the team or organization for what it is to them instead, if anything."""

    def seen_by(self, actor: Actor, row: Model | None) -> "Section":
        """Return the section as the viewer reads it."""
        return (self.variant(actor, row) if self.variant else None) or self


_sections: dict[SettingsScope, dict[str, Section]] = {scope: {} for scope in SettingsScope}


def register_sections(scope: SettingsScope, *sections: Section) -> None:
    """Add sections, shown by ``group`` and in order of ``rank``; called in ``AppConfig.ready``."""
    for section in sections:
        _sections[scope][section.route] = section


def all_sections(scope: SettingsScope) -> list[Section]:
    """Return every section of a scope, in order."""
    groups = list(SectionGroup)
    return sorted(_sections[scope].values(), key=lambda one: (groups.index(one.group), one.rank))


def sections_for(actor: Actor, scope: SettingsScope, row: Model | None = None) -> Iterator[Section]:
    """Yield the sections that the actor may open; one query for each action that sections need."""
    allowed: dict[str, bool] = {"": True}
    for section in all_sections(scope):
        if section.needs not in allowed:
            allowed[section.needs] = row is not None and can(actor, section.needs, row)
        if allowed[section.needs]:
            yield section.seen_by(actor, row)


def rail_of(
    actor: Actor, scope: SettingsScope, row: Model | None = None
) -> dict[SectionGroup, list[Section]]:
    """Return the sections that the actor may open by their groups, without those that a page leads to."""
    seen = [section for section in sections_for(actor, scope, row) if not section.under]
    return {group: list(found) for group, found in groupby(seen, key=lambda section: section.group)}


def section_at(actor: Actor, scope: SettingsScope, route: str, row: Model | None = None) -> Section | None:
    """Return the section whose page a route is, as the viewer reads it."""
    section = _sections[scope].get(route)
    return section and section.seen_by(actor, row)
