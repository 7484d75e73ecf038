"""Asking for an archive, making it, and clearing it away."""

import logging
import shutil
import time
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from access.web.requests import actor_of_user
from common.errors import Conflict, DomainError, Gone, Unavailable
from exports.access import ExportAction
from exports.archive import contents
from exports.archive.writer import Archive
from exports.models import UNDER_WAY, Export, ExportState
from storage.filesystem import Incoming
from storage.models import Blob
from storage.services import stored_bytes, storing
from teams.access import TeamAction
from teams.models import Team

logger = logging.getLogger(__name__)

KEPT = timedelta(days=7)
"""How long an archive can be downloaded."""
SILENT = timedelta(minutes=5)
"""Without a sign for so long, the worker that made an archive is gone."""
MOST_ATTEMPTS = 3
_SIGN_EVERY_S = 2.0


class _CanceledError(Exception):
    """The asker no longer wants it, or another worker has it."""


@transaction.atomic
def request_export(*, actor: Actor, team: Team) -> Export:
    """Ask for an archive of what a team owns and the actor may see; a worker makes it.

    Raises:
        Conflict: the actor's last one is under way.
        Unavailable: the disk has no room for another copy of all that.
    """
    require(actor, TeamAction.EXPORT, team)
    needed, free = stored_bytes(team_id=team.pk), shutil.disk_usage(settings.BLOB_ROOT.parent).free
    if needed > free:
        raise Unavailable(
            _("The archive may need %(needed)d MiB, but the server’s disk has only %(free)d MiB left.")
            % {"needed": needed // 2**20, "free": free // 2**20}
        )
    try:
        with transaction.atomic():
            export = Export.objects.create(team=team, asked_by_id=actor.lookup_id)
    except IntegrityError:
        raise Conflict(
            _("An export of %(team)s is already in progress. Wait for it or cancel it.") % {"team": team}
        ) from None
    record(actor, TeamAction.EXPORT, team, organization_id=team.organization_id, team_id=team.pk)
    return export


@transaction.atomic
def cancel_export(*, actor: Actor, export: Export) -> Export:
    """Stop one that waits or runs; one that has ended stays as it is."""
    require(actor, ExportAction.USE, export)
    stopped = Export.objects.filter(pk=export.pk, state__in=UNDER_WAY).update(
        state=ExportState.CANCELED, ended_at=timezone.now()
    )
    export.refresh_from_db()
    if stopped:
        _record(actor, export, "export.cancel")
    return export


def _record(actor: Actor, export: Export, action: str) -> None:
    team = export.team
    record(actor, action, export, organization_id=team.organization_id, team_id=team.pk)


@transaction.atomic
def download_export(*, actor: Actor, export: Export) -> Blob:
    """Return the archive, and note who took it.

    Raises:
        Gone: it is not there yet, or no longer.
    """
    require(actor, ExportAction.USE, export)
    require(actor, TeamAction.EXPORT, export.team)
    if export.state != ExportState.DONE or export.blob is None:
        raise Gone(_("This archive is not available: %(state)s.") % {"state": export.state_label.lower()})
    _record(actor, export, "export.download")
    return export.blob


@transaction.atomic
def _claim() -> Export | None:
    """Take the export that has waited longest, unless another one is being made: they need the whole disk."""
    now = timezone.now()
    rows = Export.objects.select_for_update(of=("self",)).select_related("team__organization", "asked_by")
    rows = rows.order_by("pk")
    for row in rows.filter(state=ExportState.RUNNING):
        if row.updated_at > now - SILENT:
            return None
        over = row.attempts >= MOST_ATTEMPTS
        row.state = ExportState.FAILED if over else ExportState.WAITING
        if over:
            row.error, row.ended_at = _("The server was stopped each time it was creating the archive."), now
        row.save(update_fields=["state", "error", "ended_at", "updated_at"])
    export = rows.filter(state=ExportState.WAITING).first()
    if export is not None:
        export.state, export.runs_done, export.attempts = ExportState.RUNNING, 0, export.attempts + 1
        export.save(update_fields=["state", "runs_done", "attempts", "updated_at"])
    return export


class _Progress:
    """Tells the page how far it is, every few seconds, and hears there that nobody waits any more."""

    def __init__(self, export: Export) -> None:
        self._export, self._signed_at, self.runs_done = export, 0.0, 0

    def sign(self) -> None:
        """Give a sign of life.

        Raises:
            _CanceledError: the export is no longer this worker's.
        """
        if time.monotonic() - self._signed_at < _SIGN_EVERY_S:
            return
        self._signed_at = time.monotonic()
        mine = Export.objects.filter(
            pk=self._export.pk, state=ExportState.RUNNING, attempts=self._export.attempts
        )
        if not mine.update(runs_done=self.runs_done, updated_at=timezone.now()):
            raise _CanceledError

    def after_run(self) -> None:
        """Count a run."""
        self.runs_done += 1
        self.sign()


def _make(export: Export) -> None:
    actor = actor_of_user(export.asked_by)
    require(actor, TeamAction.EXPORT, export.team)  # may have ended since
    total = contents.runs_in(actor, export.team).count()
    Export.objects.filter(pk=export.pk).update(runs_total=total)
    progress = _Progress(export)
    with Incoming() as incoming:
        with Archive(incoming, progress.sign) as archive:
            contents.write(archive, actor, export.team, progress.after_run)
        received = incoming.finish()
        with storing(received, export.team_id) as blob:
            mine = Export.objects.filter(pk=export.pk, state=ExportState.RUNNING, attempts=export.attempts)
            now = timezone.now()
            if not mine.update(state=ExportState.DONE, blob=blob, runs_done=progress.runs_done, ended_at=now):
                raise _CanceledError


def make_next_export() -> bool:
    """Make the archive that has waited longest; says whether there was one."""
    export = _claim()
    if export is None:
        return False
    try:
        _make(export)
    except _CanceledError:
        logger.info("export %s was canceled", export.pk)
    except Exception as error:
        reason = error.message if isinstance(error, DomainError) else ""
        logger.exception("export %s failed", export.pk)
        Export.objects.filter(pk=export.pk, state=ExportState.RUNNING, attempts=export.attempts).update(
            state=ExportState.FAILED,
            error=reason or _("The server could not create the archive. See its log for the reason."),
            ended_at=timezone.now(),
        )
    return True


def expire_exports() -> int:
    """Let go of archives whose days are over; the sweep of the store frees their bytes."""
    over = Export.objects.filter(state=ExportState.DONE, ended_at__lte=timezone.now() - KEPT)
    return over.update(state=ExportState.EXPIRED, blob=None)
