"""Webhooks (ALR-7): a POST of JSON, with a token and signatures where the destination has them."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from alerts.models import Destination
from alerts.notices.notice import Notice
from alerts.payloads import presets
from alerts.payloads.templating import ACCESS_TOKEN, fill, is_variable, names_in
from alerts.payloads.values import values_of_notice
from alerts.secrets.services import values_of
from alerts.transports.addresses import unsealed
from alerts.transports.masking import Mask
from alerts.transports.result import SendResult
from alerts.transports.signatures import signed_headers
from common.errors import DomainError, Invalid
from common.formats.numbers import parse_int
from common.safe_http.client import Answer, OutgoingError, post

AGENT = "Runyard (+webhooks)"
GONE = 410
"""What a peer answers that wants to hear no more."""
_LATER = {408, 425, 429}
_MOST_WAIT_S = 3600.0


def send(destination: Destination, notice: Notice) -> SendResult:
    """POST what the notice, the destination or its preset says; a redirect is a refusal."""
    mask = Mask()
    request = ""
    try:
        url, headers, body = _request(destination, notice, mask)
        request = shown_request(url, headers, body, mask)
        answer = post(url, body=body, headers=headers)
    except OutgoingError as error:
        return SendResult(is_ok=False, is_permanent=error.is_refused, request=request, error=mask(str(error)))
    except DomainError as error:
        return SendResult(is_ok=False, is_permanent=True, request=request, error=mask(error.message))
    return _result(destination, answer, request, mask)


def shown_request(url: str, headers: Mapping[str, str], body: bytes, mask: Mask) -> str:
    """Write a request as people read it: without the path, by which whoever knows it could post."""
    parts = urlsplit(url)
    lines = [
        f"POST {parts.scheme}://{parts.netloc}/…",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return mask("\n".join([*lines, "", body.decode(errors="replace")]))


def shown_response(answer: Answer, mask: Mask) -> str:
    """Return an answer's body as people read it; NUL is what PostgreSQL does not store."""
    text = answer.content.decode(errors="replace").replace("\0", "\ufffd")
    return mask(text) + ("\n" + _("(The rest was cut off.)") if answer.is_cut else "")


def wait_s(headers: Mapping[str, str]) -> float | None:
    """Return how long a peer wants to be left alone, an hour at most; None where it does not say in seconds."""
    pause_s = parse_int(headers.get("retry-after", "").strip())
    return None if pause_s is None else min(float(pause_s), _MOST_WAIT_S)


def _request(destination: Destination, notice: Notice, mask: Mask) -> tuple[str, dict[str, str], bytes]:
    preset = presets.preset_of(destination)
    url, more = preset.split(unsealed(destination))
    mask.add_address(url)
    template = notice.payload or destination.template or preset.template
    secrets = _secrets(destination, template, mask)
    values: dict[str, Any] = {**secrets, **values_of_notice(notice), **more}
    body = fill(template, values).encode(errors="replace")
    headers = {"Content-Type": "application/json", "User-Agent": AGENT, "X-Runyard-Delivery": notice.uid}
    if destination.access_token_name:
        headers["Authorization"] = f"Bearer {secrets[ACCESS_TOKEN]}"
    if destination.signing_secret_name:
        secret = secrets[destination.signing_secret_name]
        headers |= signed_headers(body, secret, at_s=int(time.time()))
    return url, headers, body


def _secrets(destination: Destination, template: str, mask: Mask) -> dict[str, str]:
    """Return the secrets that the destination and its payload name, and mask them in all that is kept."""
    used = {name for name in names_in(template) if not is_variable(name)}
    if destination.access_token_name:
        used = used - {ACCESS_TOKEN} | {destination.access_token_name}
    if destination.signing_secret_name:
        used.add(destination.signing_secret_name)
    stored = values_of(destination.team_id) if used else {}
    if missing := sorted(used - stored.keys()):
        raise Invalid(_("The team has no secret %(names)s.") % {"names": ", ".join(missing)})
    secrets = {name: stored[name] for name in used}
    if destination.access_token_name:
        secrets[ACCESS_TOKEN] = stored[destination.access_token_name]
    mask.add(*secrets.values())
    return secrets


def _result(destination: Destination, answer: Answer, request: str, mask: Mask) -> SendResult:
    response = shown_response(answer, mask)
    status = answer.status
    error = mask(presets.preset_of(destination).refusal(answer.content)) if status < 300 else f"HTTP {status}"
    if 300 <= status < 400:
        error = _("The URL returned a redirect (HTTP %(status)s). Redirects are not followed.") % {
            "status": status
        }
    return SendResult(
        is_ok=not error,
        is_permanent=bool(error) and status < 500 and status not in _LATER,
        is_gone=status == GONE,
        status=status,
        request=request,
        response=response,
        error=error,
        retry_after_s=wait_s(answer.headers) if error else None,
    )
