"""Alerts that code sends from a run. They are kept here; who is told of them is for upper layers."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from access.actor import Actor
from access.engine import require
from common.errors import Invalid
from runs import signals
from runs.access import RunAction
from runs.models import Run, RunAlert
from runs.projection import clean_text

LEVELS = ("INFO", "WARN", "ERROR")
MAX_TITLE, MAX_TEXT = 256, 100_000


@transaction.atomic
def send_alert(
    *, actor: Actor, run: Run, title: str, text: str, level: str, wait: timedelta
) -> RunAlert | None:
    """Keep an alert; None when the run sent the same title within ``wait`` (zero is no waiting).

    Raises:
        Invalid: an unknown level, or over a limit.
    """
    require(actor, RunAction.LOG, run)
    if level not in LEVELS:
        raise Invalid(f"An alert's level is one of {', '.join(LEVELS)}, not {level!r}.")
    if not title or len(title) > MAX_TITLE or len(text) > MAX_TEXT:
        raise Invalid(
            f"An alert has a title of at most {MAX_TITLE} characters and a text of at most {MAX_TEXT}."
        )
    Run.objects.locked().get(pk=run.pk)  # two processes sending one title wait for each other here
    title, now = clean_text(title), timezone.now()
    if RunAlert.objects.filter(run=run, title=title, at__gt=now - wait).exists():
        return None
    alert = RunAlert.objects.create(run=run, title=title, text=clean_text(text), level=level, at=now)
    transaction.on_commit(partial(signals.run_alert_sent.send, RunAlert, alert_id=alert.pk), robust=True)
    return alert
