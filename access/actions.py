"""The registry of actions: what can be done, on which models, and who may by the built-in roles.

The role editor, key scopes, docs and the access matrix test are generated from it.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from django.utils.functional import Promise


class Preset(StrEnum):
    """The built-in roles as the permission matrix (TEAM-21) abbreviates them; `teams` makes roles of them."""

    VIEW_ONLY = "V"
    MEMBER = "M"
    ADMIN = "A"
    ORGANIZATION_ADMIN = "O"
    ORGANIZATION_MEMBER = "Om"
    """Not a column of the matrix: whoever belongs to the organization, whatever their teams."""
    ORGANIZATION_VIEWER = "Ov"
    """As a member of the organization, who does no more in its teams than view-only (TEAM-1)."""


def presets(letters: str) -> frozenset[Preset]:
    """Read a cell of the matrix: ``presets("V M A O")``."""
    return frozenset(Preset(letter) for letter in letters.split())


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action's row in the matrix."""

    on: tuple[str, ...]
    """Labels of the models it is checked on; creating is checked on the parent."""
    roles: frozenset[Preset] = field(default_factory=frozenset)
    own: str = ""
    """The action that grants the same on rows the actor owns ("M own")."""
    owner: bool = False
    """The owner may, whatever their roles: a person's own keys and settings."""
    public: bool = False
    """Anyone may where the row is public ("P")."""
    open: bool = False
    """Anyone signed in may where the row is open."""
    group: str | Promise = ""
    """What it is about, as the editor of roles groups actions; see `register_actions`."""
    label: str | Promise = ""
    """What it lets somebody do, in a few words ..."""
    help: str | Promise = ""
    """... and in a sentence."""


_specs: dict[str, ActionSpec] = {}


class UnknownActionError(LookupError):
    """A check named an action that no app registered: a programming error, never "allowed"."""


def register_actions(specs: Mapping[StrEnum, ActionSpec], *, group: str | Promise = "") -> None:
    """Add an app's actions about one subject; called in its ``AppConfig.ready``."""
    for action, given in specs.items():
        spec = replace(given, group=given.group or group)
        if action.value in _specs and _specs[action.value] != spec:
            raise ValueError(f"action {action.value!r} is registered twice")
        _specs[action.value] = spec


def spec_of(action: str, model_label: str = "") -> ActionSpec:
    """Return the action's spec.

    Raises:
        UnknownActionError: no app registered it, or not for that model.
    """
    spec = _specs.get(str(action))
    if spec is None:
        raise UnknownActionError(f"unknown action {action!r}")
    if model_label and model_label not in spec.on:
        raise UnknownActionError(f"action {action!r} is not registered for {model_label}")
    return spec


def all_actions() -> Iterator[tuple[str, ActionSpec]]:
    """Iterate over everything registered, by name."""
    yield from sorted(_specs.items())


def with_own(actions: Iterable[str]) -> set[str]:
    """Add what these actions include without saying so: who stops any run, stops their own."""
    granted = set(actions)
    return granted | {spec.own for action, spec in _specs.items() if action in granted and spec.own}


def actions_by_group(names: Container[str]) -> dict[str, dict[str, ActionSpec]]:
    """Return group to action to spec for these actions, as apps registered them: subjects stay together."""
    found: dict[str, dict[str, ActionSpec]] = {}
    for action, spec in _specs.items():
        if action in names:
            found.setdefault(str(spec.group), {})[action] = spec
    return found
