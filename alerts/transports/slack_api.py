"""Slack's API, as far as connecting a channel needs it, by our own way out."""

import logging
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request

from django.conf import settings
from django.utils.translation import gettext as _
from slack_sdk import WebClient
from slack_sdk.errors import SlackClientError
from slack_sdk.oauth import AuthorizeUrlGenerator

from common.errors import Invalid, Unavailable
from common.safe_http.client import OutgoingError, post

SCOPES = ["incoming-webhook"]

silent = logging.Logger("slack_sdk")  # noqa: LOG001 - never shown: it writes addresses, which are secrets
silent.addHandler(logging.NullHandler())
silent.setLevel(logging.CRITICAL)


class _Client(WebClient):
    def _perform_urllib_http_request_internal(self, url: str, req: Request) -> dict[str, Any]:
        """Do what the base class does by urllib, which would follow redirects to anywhere."""
        host = urlsplit(settings.SLACK_URL).hostname or ""
        body = bytes(req.data or b"")  # type: ignore[arg-type]  # it is bytes
        answer = post(url, body=body, headers=dict(req.header_items()), hosts={host})
        return {"status": answer.status, "headers": answer.headers, "body": answer.content.decode()}


def authorize_url(*, state: str, redirect: str) -> str:
    """Return Slack's page where people choose a channel; it leads back to ``redirect``."""
    page = f"{settings.SLACK_URL}/oauth/v2/authorize"
    client_id = settings.SLACK_CLIENT_ID
    generator = AuthorizeUrlGenerator(
        client_id=client_id, scopes=SCOPES, redirect_uri=redirect, authorization_url=page
    )
    return generator.generate(state)


def exchange(*, code: str, redirect: str) -> dict[str, Any]:
    """Return what Slack gives for the code it led back with: the channel and its webhook.

    Raises:
        Invalid: the code is old, or the app of Slack is set up wrong.
        Unavailable: Slack does not answer.
    """
    client = _Client(base_url=f"{settings.SLACK_URL}/api/", proxy="", logger=silent, retry_handlers=[])
    try:
        answer = client.oauth_v2_access(
            client_id=settings.SLACK_CLIENT_ID, client_secret=settings.SLACK_CLIENT_SECRET, code=code,
            redirect_uri=redirect,
        )  # fmt: skip
    except OutgoingError as error:
        raise Unavailable(_("Slack is not responding: %(why)s.") % {"why": error}) from error
    except (SlackClientError, ValueError) as error:
        reason = getattr(error, "response", {}).get("error", "") if hasattr(error, "response") else ""
        raise Invalid(_("Slack did not connect the channel: %(why)s.") % {"why": reason or "?"}) from None
    return dict(answer.data) if isinstance(answer.data, dict) else {}
