"""What the audit log says of sweeps."""

from django.utils.translation import gettext_lazy as _

from access.audit.values import Field, register_fields
from access.audit.words import Kind, register_kind, register_words
from sweeps.access import SWEEP, SweepAction
from sweeps.agents import services as agents
from sweeps.lifecycle import deletion, membership
from sweeps.models import SweepState
from sweeps.names import sweep_page

RUNS = {membership.REMOVE: _("Removed from its sweep")}
SWEEPS = {
    SweepAction.CREATE: _("Created a sweep"),
    SweepAction.EDIT: _("Changed a sweep"),
    SweepAction.STOP: _("Changed the state of a sweep"),
    agents.CREATE_AGENT: _("Started a sweep agent"),
    SweepAction.DELETE: _("Deleted a sweep"),
    deletion.RESTORE: _("Restored a sweep"),
}


def register() -> None:
    """Tell the audit log."""
    register_words("sweep", _("Sweeps"), SWEEPS)
    register_words("run", _("Runs"), RUNS)
    register_kind(SWEEP, _("Sweep"), Kind(SweepAction.VIEW, sweep_page, ("project__team",)))
    register_fields(
        {
            "method": _("Method"), "config": _("Configuration"), "host": _("Host"),
            "state": Field(_("State"), choices=dict(SweepState.choices)),
        },
        scope=SWEEP,
    )  # fmt: skip
