"""Peers that answer for real."""

from collections.abc import Iterator

import pytest

from alerts.tests.peers import Peer, http_peer
from tests.fakes.smtp import MailServer, mail_server


@pytest.fixture
def peer(settings) -> Iterator[Peer]:
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    with http_peer() as running:
        yield running


@pytest.fixture
def smtp(settings) -> Iterator[MailServer]:
    with mail_server() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        yield server
