"""Slack (ALR-4): messages of blocks by `slack-sdk`, sent to Slack's own hosts and no others."""

import json
from typing import Any
from urllib.request import Request

from slack_sdk.webhook import WebhookClient, WebhookResponse

from alerts.models import Destination
from alerts.notices.notice import Notice
from alerts.transports.addresses import check_slack, unsealed
from alerts.transports.masking import Mask
from alerts.transports.result import SendResult
from alerts.transports.slack_api import silent
from alerts.transports.slack_blocks import message_of
from alerts.transports.webhook import shown_request, shown_response, wait_s
from common.errors import DomainError
from common.safe_http.client import Answer, OutgoingError, post

GONE = {
    "invalid_auth", "invalid_token", "token_revoked", "token_expired", "account_inactive", "no_service",
    "no_service_id", "no_team", "team_disabled", "no_active_hooks", "channel_not_found", "channel_is_archived",
}  # fmt: skip
"""Words of Slack that mean: this address is no more, or leads nowhere."""
_LATER = {
    "rate_limited",
    "ratelimited",
    "rollup_error",
    "internal_error",
    "fatal_error",
    "service_unavailable",
}
_MAX_WORD = 200


class Client(WebhookClient):
    """Slack's client, by our own way out: no other host, no redirect, no retry, 10 s for all."""

    def __init__(self, url: str) -> None:
        """Take an address that was checked."""
        super().__init__(url, proxy="", logger=silent, retry_handlers=[])
        self.host = check_slack(url).host
        self.mask = Mask()
        self.mask.add_address(url)
        self.request = ""
        self.answer: Answer | None = None

    def _perform_http_request_internal(self, url: str, req: Request) -> WebhookResponse:
        """Do what the base class does by urllib, which would follow redirects to anywhere."""
        body, headers = bytes(req.data or b""), dict(req.header_items())  # type: ignore[arg-type]  # it is bytes
        shown = json.dumps(json.loads(body), ensure_ascii=False, indent=2).encode()
        self.request = shown_request(url, headers, shown, self.mask)
        answer = self.answer = post(url, body=body, headers=headers, hosts={self.host})
        text = answer.content.decode(errors="replace")
        return WebhookResponse(url=url, status_code=answer.status, body=text, headers=dict(answer.headers))


def send(destination: Destination, notice: Notice) -> SendResult:
    """Post a notice to a channel."""
    client = None
    try:
        client = Client(unsealed(destination))
        message = message_of(notice, mention=notice.mention or destination.mention)
        response = client.send(**message, headers={"X-Runyard-Delivery": notice.uid})
    except OutgoingError as error:
        request = client.request if client else ""
        return SendResult(is_ok=False, is_permanent=error.is_refused, request=request, error=str(error))
    except DomainError as error:
        return SendResult(is_ok=False, is_permanent=True, error=error.message)
    return _result(client, response)


def _result(client: Client, response: WebhookResponse) -> SendResult:
    assert client.answer is not None  # noqa: S101 - it was said in it
    exchange: dict[str, Any] = {
        "status": response.status_code,
        "request": client.request,
        "response": shown_response(client.answer, client.mask),
    }
    word = response.body.strip()[:_MAX_WORD]
    if 200 <= response.status_code < 300 and word in {"ok", ""}:
        return SendResult(is_ok=True, **exchange)
    word = client.mask(word if word.isascii() and word.isidentifier() else "")
    error = f"HTTP {response.status_code}" + (f": {word}" if word else "")
    if response.status_code == 429 or response.status_code >= 500 or word in _LATER:
        return SendResult(is_ok=False, error=error, retry_after_s=wait_s(client.answer.headers), **exchange)
    is_gone = word in GONE or response.status_code in {404, 410}
    return SendResult(is_ok=False, is_permanent=True, is_gone=is_gone, error=error, **exchange)
