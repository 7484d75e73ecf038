"""What the pages of roles show: actions in groups, which of them a base gives, and which are added."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from django.http import QueryDict

from access.actions import ActionSpec, Preset, actions_by_group, spec_of
from teams.models import Role
from teams.roles.builtin import addable_actions
from teams.roles.custom import BASES, RoleFields, added_by, given_by


@dataclass(frozen=True, slots=True)
class ActionLine:
    """One action as a page shows it."""

    action: str
    spec: ActionSpec
    is_given: bool
    """By the base, so it cannot be taken away."""
    is_added: bool = False
    is_shown: bool = True
    """Whether it has the words that are searched for."""

    @property
    def is_included(self) -> bool:
        """Whether the role includes it."""
        return self.is_given or self.is_added


@dataclass(frozen=True, slots=True)
class ActionGroup:
    """Actions about one subject."""

    title: str
    lines: Sequence[ActionLine]

    @property
    def is_shown(self) -> bool:
        """Whether any of its lines is."""
        return any(line.is_shown for line in self.lines)


def _matches(text: str, title: str, action: str, spec: ActionSpec) -> bool:
    words = f"{title} {action} {spec.label} {spec.help}".casefold()
    return all(word in words for word in text.casefold().split())


def groups_of(
    given: AbstractSet[str], added: AbstractSet[str] = frozenset(), text: str = ""
) -> list[ActionGroup]:
    """Return every action that a role of teams can have, by subject."""
    return [
        ActionGroup(title, [
            ActionLine(action, spec, action in given, action in added - given, _matches(text, title, action, spec))
            for action, spec in specs.items()
        ])
        for title, specs in actions_by_group(addable_actions()).items()
    ]  # fmt: skip


@dataclass(slots=True)
class Editor:
    """The form of a custom role as it stands: new, as it is kept, or as it was typed."""

    name: str = ""
    description: str = ""
    base: Preset = Preset.VIEW_ONLY
    added: frozenset[str] = frozenset()
    text: str = ""
    """What is searched for among the actions."""
    groups: list[ActionGroup] = field(default_factory=list)

    @classmethod
    def of_role(cls, role: Role) -> "Editor":
        """Show a role as it is kept."""
        base = Preset(role.base.preset) if role.base else Preset.VIEW_ONLY
        return cls(role.name, role.description, base, added_by(role)).shown()

    @classmethod
    def typed(cls, data: "QueryDict") -> "Editor":
        """Show what a form has."""
        base = data.get("base", "")
        return cls(
            name=data.get("name", "")[:200],
            description=data.get("description", "")[:1000],
            base=Preset(base) if base in set(BASES) else Preset.VIEW_ONLY,
            added=frozenset(data.getlist("action")),
            text=data.get("q", "")[:200],
        ).shown()

    def shown(self) -> "Editor":
        """Fill in the groups."""
        self.groups = groups_of(given_by(self.base), self.added, self.text)
        return self

    @property
    def fields(self) -> RoleFields:
        """What the services take."""
        return RoleFields(self.name, self.base, self.added, self.description)

    @property
    def n_added(self) -> int:
        """How many actions the role adds to its base."""
        return sum(line.is_added for group in self.groups for line in group.lines)

    @property
    def is_any_shown(self) -> bool:
        """Whether the search has found anything."""
        return any(group.is_shown for group in self.groups)


def with_labels(roles: Iterable[Role]) -> list[Mapping[str, Any]]:
    """Return custom roles, whose grants were read before, with the labels of what each adds."""
    return [
        {"role": role, "adds": [spec_of(action).label for action in sorted(added_by(role))]} for role in roles
    ]
