"""The ready-made reaches of API keys: what the SDK needs to log, and to read; each is held by a test with the SDK."""

from django.utils.translation import gettext_lazy as _

from accounts.api_keys.scopes import Reach, register_reach
from artifacts.access import ArtifactAction, RegistryAction
from runs.access import ChartAction, ProjectAction, RunAction
from sweeps.access import SweepAction
from teams.access import OrganizationAction, TeamAction

READ_ONLY = frozenset(
    str(action)
    for action in (
        OrganizationAction.VIEW, TeamAction.VIEW, ProjectAction.VIEW, RunAction.VIEW, ChartAction.VIEW,
        ArtifactAction.VIEW, ArtifactAction.DOWNLOAD, RegistryAction.VIEW, SweepAction.VIEW,
    )
)  # fmt: skip
"""``wandb.Api()`` reads projects, runs, histories, logs, files, charts, artifacts, registries, sweeps and who is in a
team."""

LOG_RUNS = READ_ONLY | frozenset(
    str(action)
    for action in (ProjectAction.CREATE, RunAction.LOG, ArtifactAction.CREATE, ArtifactAction.SET_ALIAS)
)
"""``wandb.init``, ``log``, ``save``, ``log_artifact``, ``use_artifact`` and ``finish``, resuming too; ``wandb agent``.

A project that is missing is made.
"""


def register() -> None:
    """Offer them."""
    register_reach(
        Reach(
            "log", _("Log runs"),
            _("Log runs and artifacts, create their projects, and read. For training jobs."), LOG_RUNS,
        )
    )  # fmt: skip
    register_reach(
        Reach(
            "read",
            _("Read only"),
            _("See what its owner can see, without changing anything. For reports."),
            READ_ONLY,
        )
    )
