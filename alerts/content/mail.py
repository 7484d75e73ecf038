"""An alert as a mail: in the person's language, as text and HTML, with the links that switch it off (ALR-3)."""

from collections.abc import Sequence
from typing import Any

from accounts.mail import sending
from accounts.models import OutboxMail, User
from accounts.settings.preferences import in_language_of
from alerts.content.render import news_of, notice_from, project_label
from alerts.models import Event, Message
from alerts.notices.digests import shown
from alerts.preferences.unsubscribe_links import Subscription, headers_of, settings_url, unsubscribe_url
from alerts.recipients import EventRecipient, project_of
from common.errors import Unavailable

TEMPLATE = "alerts/email/alert"


def mail_message(message: Message, user: User, recipients: Sequence[EventRecipient]) -> OutboxMail:
    """Hand the mail of a message to the outbox, in the caller's transaction.

    Raises:
        Unavailable: the person has no address.
    """
    subscription = Subscription(
        user.pk,
        is_own=any(recipient.is_own for recipient in recipients),
        team_ids=tuple(sorted(set().union(*(recipient.team_ids for recipient in recipients)))),
    )
    with in_language_of(user):
        context = _context(message, recipients, subscription)
    mail = sending.send(TEMPLATE, user, context, headers=headers_of(subscription))
    if mail is None:
        raise Unavailable("People without an email address cannot be emailed.")
    return mail


def mail_of_automation(message: Message, user: User, events: Sequence[Event]) -> OutboxMail | None:
    """Hand what an automation mails to a person to the outbox, in the caller's transaction."""
    assert message.automation is not None  # noqa: S101 - for the type checker
    automation = message.automation
    subscription = Subscription(user.pk, is_own=False, team_ids=(automation.team_id,))
    with in_language_of(user):
        context = _message_context(message, events, subscription) | {
            "automation": automation,
            "team": automation.team,
        }
    return sending.send(TEMPLATE, user, context, headers=headers_of(subscription))


def _context(
    message: Message, recipients: Sequence[EventRecipient], subscription: Subscription
) -> dict[str, Any]:
    return _message_context(message, [recipient.event for recipient in recipients], subscription) | {
        "is_own": subscription.is_own,
        "teams": sorted(
            {
                project.team.name
                for recipient in recipients
                if recipient.team_ids and (project := project_of(recipient.event))
            }
        ),
    }


def _message_context(message: Message, events: Sequence[Event], subscription: Subscription) -> dict[str, Any]:
    news, notice = news_of(events), notice_from(message, events)
    return {
        "notice": notice,
        # a digest's title names the place; the one of a single run only the run
        "project": project_label([news[0].project]) if len(news) == 1 else "",
        "text": {"plain": _without_foot(notice.text)},
        "lines": shown(notice.lines),
        "settings_page": settings_url(),
        "unsubscribe_page": unsubscribe_url(subscription),
    }


def _without_foot(text: str) -> str:
    """Keep what code wrote from looking like the line after which small print begins."""
    return "\n".join(line.rstrip() for line in text.splitlines())
