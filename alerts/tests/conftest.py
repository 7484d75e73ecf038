"""Fixtures of the other side: a peer of webhooks and a Slack, both on this machine."""

from collections.abc import Iterator
from typing import Any

import pytest

from alerts.tests.peers import Peer, http_peer
from tests.fakes import slack as fake_slack
from tests.fakes.sinks import Sink, sink
from tests.fakes.slack import Slack, slack
from tests.fakes.smtp import MailServer, mail_server


@pytest.fixture
def peer(settings: Any) -> Iterator[Sink]:
    """A peer in a network that the operator allowed."""
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with sink() as running:
        yield running


@pytest.fixture
def listener(settings: Any) -> Iterator[Peer]:
    """A peer that keeps what it is told as JSON."""
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with http_peer() as running:
        yield running


@pytest.fixture
def workspace(settings: Any) -> Iterator[Slack]:
    """A Slack that the operator named, with an app."""
    with slack() as running:
        settings.SLACK_HOSTS = frozenset({"127.0.0.1"})
        settings.SLACK_URL = running.url
        settings.SLACK_CLIENT_ID = fake_slack.CLIENT_ID
        settings.SLACK_CLIENT_SECRET = fake_slack.CLIENT_SECRET
        yield running


@pytest.fixture
def smtp(settings) -> Iterator[MailServer]:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server
