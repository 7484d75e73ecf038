"""How every mail is written and leaves: in the recipient's language, as text and HTML, after the commit.

``send`` is the one way for services. A template is two files: ``NAME_subject.txt`` and ``NAME_message.txt``, which
extends ``account/email/base.txt``. The HTML form is made of the text, so that nothing is written twice; a paragraph
of a label, a colon and an address on the next line becomes a button.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import make_msgid
from typing import Any
from urllib.parse import urlsplit

from celery import signature
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template import TemplateDoesNotExist
from django.template.loader import get_template, render_to_string
from django.utils import translation

from accounts.credentials import address_claims
from accounts.models import OutboxMail, User
from accounts.settings.preferences import in_language_of
from common import installation_settings
from common.database.commits import after_commit

FOOT = "\n-- \n"
"""Mail programs know this line: what follows is small print."""
_CODE = re.compile(r"[A-Z0-9]{3,}(-[A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph of the HTML form."""

    words: str
    url: str = ""
    """Where its button leads."""

    @property
    def is_code(self) -> bool:
        """Whether it is a code to type, which is shown large."""
        return _CODE.fullmatch(self.words) is not None


def send(
    template: str,
    user: User,
    context: Mapping[str, Any] | None = None,
    *,
    address: str = "",
    headers: Mapping[str, str] | None = None,
) -> OutboxMail | None:
    """Mail a user; one without a verified address (a service account has none at all) gets none.

    Args:
        template: Such as ``accounts/email/key_created``: the start of the names of its two files.
        user: Whose language it is written in; ``user`` in the templates.
        context: More for the templates, which also know ``base_url`` and ``support_contact``.
        address: Another than the primary one.
        headers: More for its head.
    """
    address = address or user.email
    if not address or not address_claims.can_mail(user, address):
        return None
    with in_language_of(user):
        message = render(template, address, {"user": user, **(context or {})})
    message.extra_headers |= headers or {}
    return queue(message)[0]


def render(template: str, address: str, context: Mapping[str, Any]) -> EmailMultiAlternatives:
    """Return a mail in the active language."""
    shared = {
        "base_url": settings.BASE_URL,
        "support_contact": installation_settings.support_contact(),
        "LANGUAGE_CODE": translation.get_language(),
    }
    known = {**shared, **{name: _on_one_line(value) for name, value in context.items()}}
    subject = " ".join(render_to_string(f"{template}_subject.txt", known).split())
    text = re.sub(r"\n{3,}", "\n\n", render_to_string(f"{template}_message.txt", known)).strip()
    message = EmailMultiAlternatives(
        subject, text, to=[address], headers={"Auto-Submitted": "auto-generated"}
    )
    message.attach_alternative(_html(template, text, known), "text/html")
    return message


def queue(message: EmailMultiAlternatives) -> list[OutboxMail]:
    """Store a mail in the transaction of what it tells, and send it after the commit.

    Its Message-ID is made here, so that one that is sent twice, because the worker was killed before it could note
    that the server took it, is known for the same.
    """
    html = next((str(part[0]) for part in message.alternatives), "")
    domain = urlsplit(settings.BASE_URL).hostname or "localhost"
    rows = []
    for address in message.to:
        row = OutboxMail.objects.create(
            to=address,
            subject=message.subject[:300],
            text=str(message.body),
            html=html,
            headers={**message.extra_headers, "Message-ID": make_msgid(domain=domain)},
        )
        # by its name: tasks import what sends mail
        after_commit(signature("accounts.tasks.deliver_mail").delay, address)  # the schedule sends it, too
        rows.append(row)
    return rows


def _on_one_line(value: Any) -> Any:
    """Keep what people typed from making paragraphs, and so buttons, of its own."""
    return " ".join(value.split()) if isinstance(value, str) else value


def _html(template: str, text: str, context: dict[str, Any]) -> str:
    try:
        page = get_template(f"{template}_message.html")
    except TemplateDoesNotExist:
        page = get_template("account/email/base.html")
    words, _, foot = text.partition(FOOT)
    parts = {"paragraphs": list(_paragraphs(words)), "foot": list(_paragraphs(foot))}
    return page.render({**context, **parts})


def _paragraphs(text: str) -> Iterator[Paragraph]:
    for block in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        words, _, last = block.rpartition("\n")
        if words and re.fullmatch(r"https?://\S+", last):
            yield Paragraph(words.rstrip(": "), url=last)
        else:
            yield Paragraph(block)
