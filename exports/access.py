"""An export is its asker's alone: others may not see the same projects."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, register_actions
from access.resources.registry import Resource, register_resource
from exports.paths import register_names


class ExportAction(StrEnum):
    """What is done to an export; asking for one is ``team.export``."""

    USE = "export.use"


def register() -> None:
    """Tell the engine."""
    spec = ActionSpec(
        ("exports.Export",),
        owner=True,
        label=_("Use own exports"),
        help=_("View, cancel and download own exports."),
    )
    register_actions({ExportAction.USE: spec}, group=_("Exports"))
    register_resource(Resource("exports.Export", view=ExportAction.USE, owner="asked_by_id"))
    register_names()
