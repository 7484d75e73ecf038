"""When no more trace data may be taken in (BIL-3)."""

from django.conf import settings
from django.utils.translation import gettext as _

from billing.billing_admins.contacts import billing_contacts_message
from billing.formatting import plain
from billing.limits.selectors import LimitKind, limits_of
from billing.subscriptions.selectors import subscription_of_team
from common.errors import TooLarge
from teams.models import Team


def require_ingestion(team_id: int) -> None:
    """Refuse more than the plan's, by what the meter has counted so far; one entry may go beyond (`usage.policy`).

    Raises:
        TooLarge: the limit, and who can change it.
    """
    if not settings.ENFORCE_LIMITS:
        return
    subscription = subscription_of_team(Team.objects.get(pk=team_id))
    limit = limits_of(subscription).of(LimitKind.INGESTION)
    if limit is None or limit.included is None or limit.price_usd is not None or limit.used < limit.included:
        return
    names = {"payer": subscription.payer, "limit": plain(limit.included), "plan": subscription.plan.name}
    message = _(
        "%(payer)s has used the %(limit)s GB of trace data included in the plan %(plan)s for this period."
    )
    raise TooLarge(f"{message % names} {billing_contacts_message(subscription)}")
