"""Mail on its way: kept in a table until a server took it, so that no request waits for one and nothing is lost.

Where no mail server is configured, `OutboxBackend` keeps the mail for operators to read, which is how an
installation works before anybody has set one up.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from smtplib import SMTPDataError, SMTPRecipientsRefused

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Min, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require_operator
from accounts.models import OutboxMail
from common.errors import Conflict

logger = logging.getLogger(__name__)

KEPT_DAYS = 30
"""How long mail can be read in the outbox."""
TRIED_FOR = timedelta(days=3)
"""After that a mail is old news; it stays in the outbox with the server's answer."""
LEASE = timedelta(minutes=5)
"""Longer than any attempt takes (EMAIL_TIMEOUT), so that no two send the same."""
LONGEST_PAUSE_M = 60
HELD_UP_FOR = timedelta(hours=1)
"""So long at most later mail to an address waits for one that could not be sent, so that it arrives in order."""
BATCH = 200
"""Addresses of one round."""
_PERMANENT = 500
"""SMTP codes from here on say that trying again does not help."""


def is_outbox_used() -> bool:
    """Whether mail stays here, because no server is configured."""
    return str(settings.EMAIL_BACKEND).endswith(".OutboxBackend")


def waiting() -> QuerySet[OutboxMail]:
    """Return the mail whose turn has come."""
    now = timezone.now()
    return OutboxMail.objects.filter(kept_at=None, try_at__lte=now, created_at__gt=now - TRIED_FOR)


def deliver(*, mail_id: int) -> bool:
    """Send one mail and say whether it was; one that another process sends, or has sent, is left alone."""
    claim = {"try_at": timezone.now() + LEASE, "attempt_count": F("attempt_count") + 1}
    if not waiting().filter(pk=mail_id).update(**claim):
        return False
    mail = OutboxMail.objects.get(pk=mail_id)
    headers = {"Auto-Submitted": "auto-generated", **mail.headers}
    message = EmailMultiAlternatives(mail.subject, mail.text, to=[mail.to], headers=headers)
    message.attach_alternative(mail.html, "text/html")
    try:
        message.send()
    except Exception as error:  # noqa: BLE001 - SMTP's are OSErrors; what cannot be written as a mail raises others
        minutes = min(2**mail.attempt_count, LONGEST_PAUSE_M)
        mail.try_at, mail.error = timezone.now() + timedelta(minutes=minutes), str(error)[:300]
        mail.is_refused = _is_final(error)
        mail.save(update_fields=["try_at", "error", "is_refused"])
        logger.warning("Mail %s was not sent, next try in %s min: %s", mail.pk, minutes, error)
        return False
    mail.delete()  # links in it open accounts
    return True


def deliver_to(address: str) -> None:
    """Send what waits for an address, in the order in which it was written, up to one that has to wait.

    Who finds that another process is at it leaves the rest to that one, which looks again after each mail.
    """
    while (mail_id := _next_to(address)) is not None:
        deliver(mail_id=mail_id)


def _next_to(address: str) -> int | None:
    """Return the mail whose turn it is; None where none waits, or one that has to wait holds up the others."""
    now = timezone.now()
    rows = OutboxMail.objects.filter(to=address, kept_at=None, created_at__gt=now - TRIED_FOR).order_by("pk")
    for pk, try_at, created_at, is_refused in rows.values_list("pk", "try_at", "created_at", "is_refused"):
        if try_at <= now:
            return pk
        if not is_refused and created_at > now - HELD_UP_FOR:
            return None
    return None


def _is_final(error: Exception) -> bool:
    """Say whether it was this mail that could not be sent, rather than any at the moment."""
    if isinstance(error, SMTPRecipientsRefused):
        return all(code >= _PERMANENT for code, _ in error.recipients.values())
    if isinstance(error, SMTPDataError):
        return error.smtp_code >= _PERMANENT
    return not isinstance(error, OSError)


def deliver_waiting() -> None:
    """Try again what could not be sent, and forget what is old."""
    OutboxMail.objects.filter(created_at__lt=timezone.now() - timedelta(days=KEPT_DAYS)).delete()
    due = waiting().order_by().values("to").annotate(first=Min("pk")).order_by("first")
    for address in due.values_list("to", flat=True)[:BATCH]:
        deliver_to(address)


@transaction.atomic
def retry(*, actor: Actor, mail: OutboxMail) -> None:
    """Send one that waits at once; one that is too old to be tried gets three days more.

    Raises:
        Conflict: it was kept to be read, or sent meanwhile.
    """
    require_operator(actor, "operator")
    now = timezone.now()
    created_at = max(mail.created_at, now - TRIED_FOR + timedelta(hours=1))
    fresh = {"try_at": now, "is_refused": False, "created_at": created_at}
    if not OutboxMail.objects.filter(pk=mail.pk, kept_at=None).update(**fresh):
        raise Conflict(_("This email is not in the outbox, or it was already sent."))
    record(actor, "outbox.retry", mail, after={"to": mail.to})
    transaction.on_commit(partial(deliver, mail_id=mail.pk))


@transaction.atomic
def drop(*, actor: Actor, mail: OutboxMail) -> None:
    """Throw a mail away."""
    require_operator(actor, "operator")
    record(actor, "outbox.delete", mail, before={"to": mail.to})
    mail.delete()


class OutboxBackend(BaseEmailBackend):
    """Django's interface to it: what is "sent" by it can be read on the page of operators."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Keep them, and say so in one line each."""
        for message in email_messages:
            html = next((str(part[0]) for part in getattr(message, "alternatives", ())), "")
            for address in message.to:
                kept = OutboxMail.objects.create(
                    to=address,
                    subject=str(message.subject)[:300],
                    text=str(message.body),
                    html=html,
                    headers=dict(message.extra_headers),
                    kept_at=timezone.now(),
                )
                logger.info("Mail to %s, %r: %s/outbox/%s", address, kept.subject, settings.BASE_URL, kept.pk)
        return len(email_messages)
