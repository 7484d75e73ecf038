"""Closing the notices of limits that stand above pages: each person for themselves (BIL-2)."""

from collections.abc import Collection

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from billing.models import NoticeDismissal, Subscription
from common.errors import NotFound
from teams.models import Membership, OrganizationMember
from usage.periods import period_at


def belongs_to(actor: Actor, subscription: Subscription) -> bool:
    """Say whether the actor is in the organization, or whose personal entity it is; one query."""
    if subscription.organization_id is not None:
        rows = OrganizationMember.objects.filter(organization=subscription.organization_id)
        return rows.filter(user=actor.lookup_id).exists()
    return Membership.objects.filter(team=subscription.team_id, user=actor.lookup_id).exists()


@transaction.atomic
def dismiss(*, actor: Actor, subscription: Subscription, notices: Collection[tuple[str, str]]) -> None:
    """Close notices until they say something worse, or another period begins.

    Args:
        actor: Who does not want to read them again.
        subscription: Of which plan's limits.
        notices: Limit and stage (`billing.limits.near_limits.LimitNotice`) of each that was read.

    Raises:
        NotFound: the actor does not belong there.
    """
    if not belongs_to(actor, subscription):
        raise NotFound(_("Not found."))
    start = period_at(timezone.now(), subscription.anchor_day).start
    mine = NoticeDismissal.objects.filter(user_id=actor.lookup_id, subscription=subscription)
    mine.filter(period_start__lt=start).delete()
    NoticeDismissal.objects.bulk_create(
        (
            NoticeDismissal(
                user_id=actor.lookup_id,
                subscription=subscription,
                limit=limit,
                stage=stage,
                period_start=start,
            )
            for limit, stage in notices
        ),
        ignore_conflicts=True,
    )
