"""How far an API key reaches: all that its owner may, one of the ready-made reaches, or chosen actions.

Apps above register the ready-made ones in ``AppConfig.ready``; the actions themselves come from the registry.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.apps import apps
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

from access.actions import actions_by_group, all_actions, spec_of
from access.resources.registry import resource_of


@dataclass(frozen=True, slots=True)
class Reach:
    """A set of actions that keys are often limited to; ``actions`` None is no limit."""

    key: str
    label: str | Promise
    help: str | Promise
    actions: frozenset[str] | None


FULL = Reach(
    "full",
    gettext_lazy("Full access"),
    gettext_lazy("Everything the account can do, anywhere."),
    None,
)
CHOSEN = "chosen"
"""What a form posts beside the keys of reaches: single actions follow."""

_reaches: list[Reach] = []


def register_reach(reach: Reach) -> None:
    """Offer a reach; called in ``AppConfig.ready``."""
    if reach not in _reaches:
        _reaches.append(reach)


def reaches() -> list[Reach]:
    """Return all, the widest first."""
    return [FULL, *sorted(_reaches, key=lambda reach: -len(reach.actions or ()))]


def reach_of(scopes: Collection[str] | None) -> Reach | None:
    """Return the ready-made reach that a key has, None for chosen actions."""
    granted = None if scopes is None else frozenset(scopes)
    return next((reach for reach in reaches() if reach.actions == granted), None)


def reach_label(scopes: Collection[str] | None) -> str:
    """Return how lists call what a key may."""
    reach = reach_of(scopes)
    if reach is not None:
        return str(reach.label)
    n = len(scopes or ())
    return ngettext("%(n)d action", "%(n)d actions", n) % {"n": n}


def with_views(actions: Iterable[str]) -> frozenset[str]:
    """Add what makes the actions' rows visible: who cannot see a run is told that there is none, whatever they may."""
    chosen = frozenset(actions)
    seen = {
        resource_of(apps.get_model(label)).view
        for action in chosen
        for label in spec_of(action).on
    }  # fmt: skip
    return chosen | (seen - {""})


@dataclass(frozen=True, slots=True)
class Choice:
    """One action to tick."""

    action: str
    label: str


def action_groups(within: Collection[str] | None = None) -> list[tuple[str, list[Choice]]]:
    """Return every action that anybody is given, or those of ``within``, by what it is done to."""
    given = {
        action
        for action, spec in all_actions()
        if (spec.roles or spec.owner or spec.public or spec.open) and (within is None or action in within)
    }
    return [
        (group, [Choice(action, str(spec.label)) for action, spec in actions.items()])
        for group, actions in actions_by_group(given).items()
    ]


def all_scopes() -> frozenset[str]:
    """Return every action that a key can be limited to."""
    return frozenset(action for action, _spec in all_actions())
