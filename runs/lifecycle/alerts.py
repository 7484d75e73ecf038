"""Alerts that code sends from a run. They are stored here; whom to notify is for upper layers."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from access.actor import Actor
from access.engine import require
from common.errors import Invalid
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.lifecycle import participants
from runs.models import Run, RunAlert

LEVELS = ("INFO", "WARN", "ERROR")
MAX_TITLE, MAX_TEXT, MAX_TOKEN = 256, 100_000, 64


@transaction.atomic
def send_alert(
    *, actor: Actor, run: Run, title: str, text: str, level: str, wait: timedelta, token: str = ""
) -> RunAlert | None:
    """Store an alert; None when the run sent the same title within ``wait`` (zero is no waiting).

    The same ``token`` again changes nothing and is answered as before; "" stands for no token.

    Raises:
        Invalid: an unknown level, or over a limit.
    """
    require(actor, RunAction.LOG, run)
    if level not in LEVELS:
        raise Invalid(f"An alert's level must be one of {', '.join(LEVELS)}, not {level!r}.")
    if not title or len(title) > MAX_TITLE or len(text) > MAX_TEXT:
        raise Invalid(
            f"An alert can have a title of at most {MAX_TITLE} characters and a text of at most {MAX_TEXT}."
        )
    # two processes sending one title wait for each other here
    run = Run.objects.locked().select_related("project__team").get(pk=run.pk)
    known = RunAlert.objects.filter(run=run, token=token).first() if token else None
    if known is not None:
        return known if known.is_sent else None
    title, now = clean_text(title), timezone.now()
    is_sent = not RunAlert.objects.filter(run=run, title=title, at__gt=now - wait, is_sent=True).exists()
    if not is_sent and not token:
        return None
    alert = RunAlert.objects.create(
        run=run, title=title, text=clean_text(text), level=level, at=now, token=token, is_sent=is_sent
    )
    if not is_sent:
        return None
    participants.alert_sent(alert)
    return alert
