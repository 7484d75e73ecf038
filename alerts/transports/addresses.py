"""Addresses of destinations: encrypted where they are kept, for whoever knows one can post to it."""

from django.conf import settings
from django.utils.translation import gettext as _

from alerts.models import Destination
from common.crypto import seal, unseal
from common.errors import Invalid
from common.safe_http.addresses import OutgoingError, Target, target_of

SLACK_HOSTS = frozenset({"hooks.slack.com", "hooks.slack-gov.com"})
_PURPOSE = "destination"


def sealed(url: str) -> str:
    """Encrypt an address."""
    return seal(_PURPOSE, url)


def unsealed(destination: Destination) -> str:
    """Return where a destination is."""
    return unseal(_PURPOSE, destination.sealed_url)


def check_webhook(url: str) -> Target:
    """Let pass an address that a webhook may have; where its name leads is looked up when it is sent to.

    Raises:
        Invalid: it is none of the web.
    """
    try:
        return target_of(url)
    except OutgoingError as error:
        raise Invalid(_("Invalid webhook URL: %(why)s.") % {"why": error}) from None


def check_slack(url: str) -> Target:
    """Let pass an address of Slack, or of a server that the operator named.

    Raises:
        Invalid: it is elsewhere.
    """
    target = check_webhook(url)
    if target.host in settings.SLACK_HOSTS:
        return target
    if target.host in SLACK_HOSTS and target.scheme == "https" and target.port == 443:
        return target
    hosts = ", ".join(f"https://{host}/" for host in sorted(SLACK_HOSTS))
    raise Invalid(_("Slack URLs begin with %(hosts)s.") % {"hosts": hosts})
