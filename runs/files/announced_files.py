"""Files that clients announced by requesting an upload URL: those that never arrive are named on the run's page.

A client whose uploads fail for too long gives up, and may end with exit status 0 all the same.
"""

from collections.abc import Sequence
from datetime import timedelta

from django.db.models import Count, Min, QuerySet
from django.utils import timezone
from django.utils.translation import ngettext

from runs.lifecycle.participants import TimelineMark
from runs.models import AnnouncedFile, Run
from runs.states import ACTIVE

STILL_COMING = timedelta(hours=1)
"""How long a file of an active run may take before it counts as missing."""
MOST = 10_000
"""Files of a run that are awaited at once; further ones are not recorded."""


def announce(run: Run, names: Sequence[str]) -> None:
    """Record that files are about to be uploaded."""
    room = MOST - AnnouncedFile.objects.filter(run=run).count()
    rows = [AnnouncedFile(run=run, name=name) for name in dict.fromkeys(names)]
    AnnouncedFile.objects.bulk_create(rows[: max(room, 0)], ignore_conflicts=True)


def no_longer_await(run_id: int, name: str) -> None:
    """Forget an announcement: the file has arrived, or was refused."""
    AnnouncedFile.objects.filter(run=run_id, name=name).delete()


def missing_files(run: Run) -> QuerySet[AnnouncedFile]:
    """Return the announced files that did not arrive, while a run is active only those of more than an hour ago."""
    awaited = AnnouncedFile.objects.filter(run=run)
    return awaited.filter(at__lt=timezone.now() - STILL_COMING) if run.state in ACTIVE else awaited


def missing_file_marks(run: Run) -> list[TimelineMark]:
    """Return a mark where the first file that did not arrive was announced."""
    found = missing_files(run).aggregate(first=Min("at"), count=Count("pk"))
    if not found["count"]:
        return []
    text = ngettext("%(n)d file has not arrived", "%(n)d files have not arrived", found["count"])
    return [TimelineMark(found["first"], text % {"n": found["count"]})]
