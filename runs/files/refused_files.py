"""Uploads refused because the storage quota is used up: recorded, so that no missing model comes as a surprise."""

from typing import Any

from django.db import transaction
from django.db.models import Count, Min
from django.utils.translation import ngettext

from accounts.mail import sending
from common.formats.lenient_json import clean_text
from runs.files.announced_files import no_longer_await
from runs.lifecycle.participants import TimelineMark
from runs.lifecycle.services import path_of
from runs.models import RefusedFile, Run


@transaction.atomic
def record_refused_file(ticket: dict[str, Any], reason: str) -> None:
    """Keep the name of a file that was not stored, and mail whose run it is the first time."""
    run = Run.objects.locked().select_related("project__team", "user").filter(pk=ticket["r"]).first()
    if run is None or run.deleted_at is not None:
        return
    no_longer_await(run.pk, ticket["n"])
    is_first = not RefusedFile.objects.filter(run=run).exists()
    known = {"reason": clean_text(reason)[:300]}
    RefusedFile.objects.update_or_create(run=run, name=ticket["n"], defaults=known)
    if is_first and run.user is not None:
        context = {"run": run, "path": path_of(run), "file": ticket["n"], "reason": reason}
        sending.send("runs/email/file_refused", run.user, context)


def refused_file_marks(run: Run) -> list[TimelineMark]:
    """Return a mark where the first file was refused."""
    found = RefusedFile.objects.filter(run=run).aggregate(first=Min("at"), count=Count("pk"))
    if not found["count"]:
        return []
    text = ngettext("%(n)d file not stored", "%(n)d files not stored", found["count"])
    return [TimelineMark(found["first"], text % {"n": found["count"]})]
