"""A mail server that keeps what it was given."""

import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller

from tests.ports import free_port
from tests.waiting import PATIENCE_S


class MailServer:
    """What a real SMTP server took, in order; ``refuses`` makes it answer so to every mail."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.refuses = ""
        self.port = free_port()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        """Keep one mail."""
        if self.refuses:
            return self.refuses
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self.mails.append(mail)
        return "250 OK"

    def to(self, address: str) -> list[EmailMessage]:
        """Return the mails to one address."""
        return [mail for mail in self.mails if mail["To"] == address]


def text_of(mail: EmailMessage) -> str:
    """Return the text part."""
    return _part(mail, "plain")


def html_of(mail: EmailMessage) -> str:
    """Return the HTML part."""
    return _part(mail, "html")


def _part(mail: EmailMessage, kind: str) -> str:
    body = mail.get_body((kind,))
    return str(body.get_content()).replace("\r\n", "\n") if body is not None else ""


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run one on a port of its own."""
    server = MailServer()
    controller = Controller(server, hostname="127.0.0.1", port=server.port, ready_timeout=PATIENCE_S)
    controller.start()
    try:
        yield server
    finally:
        controller.stop()
