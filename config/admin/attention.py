"""What the admin's front page tells: what needs somebody, and how much there is. A fixed number of cheap queries."""

import shutil
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from common.server.health import measured_parts

LOW_DISK = 0.1
"""Share of the disk that is free, under which it is almost full."""
SOON = timedelta(days=2)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that needs somebody."""

    text: str
    url: str = ""
    is_bad: bool = True


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of something."""

    label: str
    number: int
    url: str


def _list(model: str, query: str = "") -> str:
    return reverse(f"admin:{model}_changelist") + (f"?{query}" if query else "")


def notices() -> list[Notice]:
    """Return what needs somebody, the worst first; empty when all is well."""
    return [*_broken(), *_disk(), *_mail(), *_runs(), *_waiting()]


def _broken() -> list[Notice]:
    parts = {name: part for name, part in measured_parts().items() if not part["ok"]}
    return [Notice(f"{name}: {part['error']}", reverse("admin:system")) for name, part in parts.items()]


def _disk() -> list[Notice]:
    disk = shutil.disk_usage(settings.DATA_FOLDER)
    if disk.free / disk.total >= LOW_DISK:
        return []
    free = f"{disk.free / 2**30:.1f} of {disk.total / 2**30:.0f} GiB"
    return [Notice(f"The disk is almost full: {free} left.", reverse("admin:system"))]


def _mail() -> list[Notice]:
    from accounts.models import OutboxMail

    failing = OutboxMail.objects.filter(kept_at=None, attempt_count__gt=0).count()
    if not failing:
        return []
    text = f"{failing} email{'s' if failing > 1 else ''} could not be sent yet."
    return [Notice(text, _list("accounts_outboxmail", "kept_at__isempty=1"))]


def _runs() -> list[Notice]:
    from exports.models import Export, ExportState
    from runs.models import StateChange
    from runs.states import RunState

    since = timezone.now() - DAY
    crashed = StateChange.objects.filter(
        state=RunState.CRASHED, run__updated_at__gte=since, noticed_at__gte=since
    )
    count, failed = (
        crashed.count(),
        Export.objects.filter(state=ExportState.FAILED, ended_at__gte=since).count(),
    )
    found = (
        [
            Notice(
                f"{failed} export{'s' if failed > 1 else ''} failed since yesterday.",
                _list("exports_export", "state=failed"),
            )
        ]
        if failed
        else []
    )
    if count:
        text = f"{count} run{'s' if count > 1 else ''} crashed since yesterday."
        found.append(Notice(text, _list("runs_run", "state=crashed"), is_bad=False))
    return found


def _waiting() -> list[Notice]:
    from teams.models import Invitation

    now = timezone.now()
    ending = Invitation.objects.pending().filter(expires_at__gt=now, expires_at__lt=now + SOON).count()
    if not ending:
        return []
    text = f"{ending} invitation{'s expire' if ending > 1 else ' expires'} within two days."
    return [Notice(text, _list("teams_invitation", "state=pending"), is_bad=False)]


def counts() -> list[Count]:
    """Return how much there is of what operators ask for first."""
    from accounts.models import ApiKey, User, UserKind
    from runs.models import Project, Run
    from runs.states import ACTIVE
    from teams.models import Organization, Team

    since = timezone.now() - DAY
    people = User.objects.filter(kind=UserKind.PERSON, is_active=True)
    active = Run.objects.live().filter(state__in=ACTIVE)
    return [
        Count("people", people.count(), _list("accounts_user", "is_active__exact=1&kind=person")),
        Count("signed in since yesterday", people.filter(last_login__gte=since).count(), _list("accounts_user")),
        Count("organizations", Organization.objects.count(), _list("teams_organization")),
        Count("teams", Team.objects.shared().count(), _list("teams_team")),
        Count("projects", Project.objects.live().count(), _list("runs_project")),
        Count("active runs", active.count(), _list("runs_run", "state=running")),
        Count("API keys used since yesterday", ApiKey.objects.filter(last_used_at__gte=since).count(),
              _list("accounts_apikey")),
    ]  # fmt: skip
