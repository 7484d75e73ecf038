"""Where Stripe tells us what happened (BIL-7). Its signature is all that counts."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from access.routes import Open, declare
from billing.payments import webhooks
from common.errors import DomainError, Invalid, TooLarge
from common.formats.numbers import parse_int
from common.web.responses import as_json


@declare(Open.ANYONE)
@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Keep an event, and handle it soon; the same one again is answered and changes nothing."""
    try:
        webhooks.require_configured()
        event = webhooks.receive(_body(request), request.headers.get("Stripe-Signature", ""))
    except DomainError as error:
        reply = as_json({"error": error.message})
        reply.status_code = error.status
        return reply
    return as_json({"received": event.event_ref})


def _body(request: HttpRequest) -> bytes:
    """Return the body; a longer one is not even read.

    Raises:
        Invalid: its length is not said.
        TooLarge: it is longer than events are.
    """
    length = parse_int(request.headers.get("Content-Length", ""))
    if length is None:
        raise Invalid("The event has no Content-Length.")
    if length > webhooks.MAX_EVENT_BYTES:
        raise TooLarge(f"An event can have at most {webhooks.MAX_EVENT_BYTES} bytes.")
    return request.body
