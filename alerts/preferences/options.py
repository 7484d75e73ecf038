"""What can be switched on, in plain words: for a person about their own runs, for a team about all of its runs."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from alerts.models import AlertSettings


@dataclass(frozen=True, slots=True)
class Switch:
    """A kind of event that is notified of or not."""

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
        _("One of your runs finished without an error."),
        _("A run in one of the team’s projects finished without an error."),
    ),
    Switch(
        "on_crashed",
        _("Run crashed"),
        _("One of your runs failed with an error or stopped reporting."),
        _("A run in one of the team’s projects failed with an error or stopped reporting."),
    ),
    Switch(
        "on_killed",
        _("Run stopped by someone else"),
        _("Someone else stopped one of your runs. You are not notified about runs you stop yourself."),
        _("Someone stopped a run. The person who stops it is not notified."),
    ),
    Switch(
        "on_sweeps",
        _("Sweep finished"),
        _(
            "A sweep you created finished, or someone else stopped it. You are not notified about its runs one by "
            "one when they finish or are stopped."
        ),
        _(
            "A sweep in one of the team’s projects finished or was stopped. Its runs are not reported one by one "
            "when they finish or are stopped."
        ),
    ),
    Switch(
        "on_scripted",
        _("Alerts sent by code"),
        _("One of your scripts called run.alert(…)."),
        _("A script called run.alert(…) in one of the team’s projects."),
    ),
)


@dataclass(frozen=True, slots=True)
class SwitchState:
    """A switch as a page shows it."""

    switch: Switch
    help: str | Promise
    is_on: bool


def switch_states(settings: AlertSettings) -> list[SwitchState]:
    """Return the switches as they are set."""
    of_team = settings.team is not None
    return [
        SwitchState(switch, switch.team if of_team else switch.own, getattr(settings, switch.name))
        for switch in SWITCHES
    ]
