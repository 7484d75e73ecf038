"""The outbox of operators: mail that no server takes, to be read; or what waits for one that does not answer."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.audit.log import record
from access.routes import Open, declare
from access.web.requests import actor_of
from accounts.mail import outbox
from accounts.models import OutboxMail
from common.errors import NotFound

SHOWN = 200
_SANDBOX = (
    "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-popups allow-popups-to-escape-sandbox;"
    " frame-ancestors 'self'"
)


def _kept_mail(pk: int) -> OutboxMail:
    """Return a mail that nobody else gets; one on its way to its reader is for them alone."""
    mail = OutboxMail.objects.filter(pk=pk).exclude(kept_at=None).first()
    if mail is None:
        raise NotFound(_("This email is not in the outbox, or it was already sent."))
    return mail


@declare(Open.OPERATOR)
@never_cache
@require_GET
def mails(request: HttpRequest) -> HttpResponse:
    """List the newest."""
    context = {
        "mails": OutboxMail.objects.defer("text", "html")[:SHOWN],
        "is_kept": outbox.is_outbox_used(),
        "kept_days": outbox.KEPT_DAYS,
    }
    return render(request, "accounts/outbox/list.html", context)


@declare(Open.OPERATOR)
@never_cache
@require_GET
def mail(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one; its links open accounts, so that it was read is written down (TEAM-21)."""
    stored_mail = _kept_mail(pk)
    record(actor_of(request), "outbox.read", stored_mail, after={"to": stored_mail.to})
    return render(request, "accounts/outbox/mail.html", {"mail": stored_mail})


@declare(Open.OPERATOR)
@never_cache
@require_GET
def mail_body(request: HttpRequest, pk: int) -> HttpResponse:
    """Return its HTML for a frame that can neither run scripts nor reach this origin."""
    reply = HttpResponse(_kept_mail(pk).html)
    reply["Content-Security-Policy"] = _SANDBOX
    reply["X-Frame-Options"] = "SAMEORIGIN"
    return reply
