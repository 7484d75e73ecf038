"""Code that SDKs upload with a run: stored unless the run's team or whose run it is forbids it (TEAM-8).

Viewers' flags alone cannot say so: an SDK reads them before it knows its team, and not at all when it syncs.
"""

import re
from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import CodeSaving
from common.errors import Conflict
from runs.models import RefusedFile, Run

_CODE = re.compile(r"code/.*|diff\.patch|upstream_diff_[0-9a-f]+\.patch", re.DOTALL)
"""Source: ``_save_code`` and ``_save_patches`` in wandb/sdk/internal/system/system_info.py of SDK 0.16.6."""


def is_code(name: str) -> bool:
    """Whether a file has the name under which SDKs upload the program, the notebook or a diff."""
    return _CODE.fullmatch(name) is not None


def code_refusal_reason(run: Run) -> str:
    """Return why no code is stored with a run, "" where it is."""
    team = run.project.team
    if not team.code_saving_allowed:
        return _("%(team)s does not allow runs to save code.") % {"team": team.name}
    if run.user is not None and run.user.code_saving == CodeSaving.NEVER:
        return _("%(person)s chose never to save code.") % {"person": run.user.username}
    return ""


def require_code_saving(run: Run, names: Iterable[str]) -> None:
    """Refuse code at once, to callers that ask for all or none.

    Raises:
        Conflict: one of the files is code, and none is stored with this run; the message says why.
    """
    if any(map(is_code, names)) and (reason := code_refusal_reason(run)):
        raise Conflict(reason)


@transaction.atomic
def record_code_not_stored(run: Run, names: Sequence[str]) -> frozenset[str]:
    """Return which of these files are code that is not stored with the run, and keep their names for its page."""
    code = [name for name in names if is_code(name)]
    reason = code_refusal_reason(run) if code else ""
    if not reason:
        return frozenset()
    Run.objects.locked().get(pk=run.pk)
    RefusedFile.objects.bulk_create(
        [RefusedFile(run=run, name=name, reason=reason[:300]) for name in dict.fromkeys(code)],
        update_conflicts=True, unique_fields=["run", "name"], update_fields=["reason"],
    )  # fmt: skip
    return frozenset(code)
