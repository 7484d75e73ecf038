"""What can be switched on, in plain words: for a person about their own runs, for a team about all of its runs."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from alerts.models import AlertSettings


@dataclass(frozen=True, slots=True)
class Switch:
    """One event that is told or not."""

    name: str
    """The field of `AlertSettings`."""
    label: str | Promise
    own: str | Promise
    """What it means for a person."""
    team: str | Promise
    """What it means for a team."""


SWITCHES = (
    Switch(
        "on_finished",
        _("Runs finished"),
        _("A run of yours came to its end without an error."),
        _("A run in one of the team’s projects came to its end without an error."),
    ),
    Switch(
        "on_crashed",
        _("Run crashed"),
        _("A run of yours failed with an error, or its machine is no longer heard of."),
        _("A run in one of the team’s projects failed with an error, or its machine is no longer heard of."),
    ),
    Switch(
        "on_killed",
        _("Run killed by somebody else"),
        _("Somebody else stopped a run of yours. You are not told of those that you stop yourself."),
        _("Somebody stopped a run. Whoever stops it is not told of it."),
    ),
    Switch(
        "on_scripted",
        _("Alerts sent by code"),
        _("A script of yours called run.alert(…)."),
        _("A script called run.alert(…) in one of the team’s projects."),
    ),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A switch as a page shows it."""

    switch: Switch
    help: str | Promise
    is_on: bool


def lines_of(settings: AlertSettings) -> list[Line]:
    """Return the switches as they are set."""
    of_team = settings.team is not None
    return [
        Line(switch, switch.team if of_team else switch.own, getattr(settings, switch.name))
        for switch in SWITCHES
    ]
