"""What is limited: each app declares its limits, with functions that read what enforces them.

So the page *Limits*, ``/api/v1/limits/`` and docs/use/limits.md cannot drift from the code.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Model
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.actor import Actor


class LimitGroup(StrEnum):
    """What a limit is about; pages show them in this order."""

    REQUESTS = "requests"
    LOGGING = "logging"
    FILES = "files"
    ACCOUNT = "account"
    TEAM = "team"
    LENGTHS = "lengths"

    @property
    def label(self) -> str:
        """How pages call it."""
        return str(_LABELS[self])


_LABELS: Mapping[LimitGroup, Promise] = {
    LimitGroup.REQUESTS: _("Requests"),
    LimitGroup.LOGGING: _("Logging"),
    LimitGroup.FILES: _("Files"),
    LimitGroup.ACCOUNT: _("Account"),
    LimitGroup.TEAM: _("Team and its projects"),
    LimitGroup.LENGTHS: _("Text lengths"),
}


class LimitUnit(StrEnum):
    """What a limit's value counts."""

    COUNT = "count"
    BYTES = "bytes"
    CHARACTERS = "characters"
    SECONDS = "seconds"
    PER_SECOND = "per second"
    PER_MINUTE = "per minute"
    PER_HOUR = "per hour"


@dataclass(frozen=True, slots=True)
class Used:
    """How much of a limit is used now."""

    amount: int
    what: str = ""
    """The name of what comes nearest to the limit, where several have one each."""


Measure = Callable[[Actor, Any], Used | None]
"""Takes who asks and the team that it is about, if any; None where it cannot be known, or is not theirs to know."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Something that is limited for each request, run, person, project or team."""

    key: str
    group: LimitGroup
    label: str | Promise
    value: Callable[[], int]
    """Reads the constant or setting that enforces it; 0 is no limit for units that are rates."""
    outcome: str | Promise
    """What happens when it is reached."""
    unit: LimitUnit = LimitUnit.COUNT
    setting: str = ""
    """The variable that sets it, for operators."""
    measure: Measure | None = None


@dataclass(frozen=True, slots=True)
class LimitUsage:
    """A limit with what is used of it."""

    limit: Limit
    value: int
    used: Used | None

    @property
    def percent(self) -> float | None:
        """How much of it is used, at most 100."""
        return min(100.0, 100 * self.used.amount / self.value) if self.used and self.value else None

    @property
    def level(self) -> str:
        """How near it is: "within", "near" (from NEAR_PERCENT on) or "full"."""
        percent = self.percent or 0
        return "full" if percent >= 100 else "near" if percent >= NEAR_PERCENT else "within"


NEAR_PERCENT = 80
REFUSED = _("Refused with a message; existing items are kept.")


def length_limit(key: str, label: str | Promise, value: Callable[[], int]) -> Limit:
    """Return the limit of a text that is refused where it is longer."""
    return Limit(f"length.{key}", LimitGroup.LENGTHS, label, value, REFUSED, LimitUnit.CHARACTERS)


_limits: dict[str, Limit] = {}


def register_limits(*limits: Limit) -> None:
    """Declare what an app limits; called in its ``AppConfig.ready``."""
    _limits.update({limit.key: limit for limit in limits})


def all_limits() -> list[Limit]:
    """Return every limit by group; those that are measured, or that operators set, come first."""
    order = list(LimitGroup)
    return sorted(
        _limits.values(),
        key=lambda limit: (order.index(limit.group), limit.measure is None, not limit.setting),
    )


def limits_now(
    actor: Actor, team: Model | None, groups: Collection[LimitGroup] = frozenset(LimitGroup)
) -> list[LimitUsage]:
    """Return the limits of these groups with what the actor and the team use of them; a fixed number of queries."""
    return [
        LimitUsage(limit, limit.value(), limit.measure(actor, team) if limit.measure else None)
        for limit in all_limits()
        if limit.group in groups
    ]


def limits_by_group(found: list[LimitUsage]) -> dict[LimitGroup, list[LimitUsage]]:
    """Return limits under their groups, in the order of these."""
    groups: dict[LimitGroup, list[LimitUsage]] = {}
    for one in found:
        groups.setdefault(one.limit.group, []).append(one)
    return groups
