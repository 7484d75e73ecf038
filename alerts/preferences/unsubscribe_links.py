"""Links in mails that switch alerts off with one click, without signing in (ALR-3).

The page `/unsubscribe/<token>` reads the token; mail programs post to the same address (RFC 8058). A token says whose
mail it was and who asked for it, so that what is switched off is that and no more.
"""

from dataclasses import dataclass

from django.conf import settings
from django.core import signing
from django.utils.translation import gettext as _

from common.errors import NotFound

_SALT = "alerts.unsubscribe"
SETTINGS_PATH = "/settings/alerts"
"""Where people choose what they are told of."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """Why somebody was mailed: their own settings, those of teams, or both."""

    user_id: int
    is_own: bool
    team_ids: tuple[int, ...] = ()


def token_of(subscription: Subscription) -> str:
    """Return a token for a link; it works as long as the installation's key is the same."""
    payload = [subscription.user_id, int(subscription.is_own), *sorted(subscription.team_ids)]
    return signing.dumps(payload, salt=_SALT)


def read_token(token: str) -> Subscription:
    """Return what a link's token says.

    Raises:
        NotFound: it is not one of ours.
    """
    try:
        user_id, is_own, *team_ids = signing.loads(token, salt=_SALT)
    except (signing.BadSignature, ValueError):
        raise NotFound(_("This link is incomplete. Copy the whole link from the email.")) from None
    return Subscription(user_id, bool(is_own), tuple(team_ids))


def unsubscribe_url(subscription: Subscription) -> str:
    """Return the address that switches these mails off."""
    return f"{settings.BASE_URL}/unsubscribe/{token_of(subscription)}"


def settings_url() -> str:
    """Return the address of the page where a person chooses."""
    return f"{settings.BASE_URL}{SETTINGS_PATH}"


def headers_of(subscription: Subscription) -> dict[str, str]:
    """Return the headers by which mail programs offer to unsubscribe."""
    return {
        "List-Unsubscribe": f"<{unsubscribe_url(subscription)}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
