"""Who pays for what: every organization and every personal entity has one subscription, from its first day."""

from collections.abc import Collection

from django.db.models import QuerySet

from billing.models import Subscription
from billing.plans.catalogue import default_plan
from teams.models import SHARED_KINDS, Organization, Team

_WITH = ("plan", "next_plan", "trial_then", "organization", "team")


def _all() -> QuerySet[Subscription]:
    return Subscription.objects.select_related(*_WITH)


def _get_or_create(*, personal: bool, **payer: int) -> Subscription:
    """Return the payer's; where something was made around the hooks (a restored backup), begin it now."""
    found = _all().filter(**payer).first()
    if found is None:
        Subscription.objects.get_or_create(**payer, defaults={"plan": default_plan(personal=personal)})
        found = _all().get(**payer)
    return found


def subscription_of(organization: Organization) -> Subscription:
    """Return an organization's subscription, with its plans."""
    return _get_or_create(personal=False, organization_id=organization.pk)


def subscription_of_team(team: Team) -> Subscription:
    """Return who pays for a team: its organization, or the personal entity itself."""
    if team.organization_id is None:
        return _get_or_create(personal=True, team_id=team.pk)
    return _get_or_create(personal=False, organization_id=team.organization_id)


def locked(subscription: Subscription) -> Subscription:
    """Lock a subscription until the transaction ends; whatever changes money or periods takes it first."""
    return _all().select_for_update(of=("self",), no_key=True).get(pk=subscription.pk)


def teams_of(subscription: Subscription) -> QuerySet[Team]:
    """Return the teams whose use it pays, deleted ones, too: what they hold and did counts on."""
    if subscription.team_id is not None:
        return Team.objects.filter(pk=subscription.team_id)
    return Team.objects.filter(organization=subscription.organization_id, kind__in=SHARED_KINDS)


def payers_by_team(subscriptions: Collection[Subscription]) -> dict[int, int]:
    """Return whose teams are whose: keys of subscriptions by teams', deleted ones, too. One query."""
    of_team = {row.team_id: row.pk for row in subscriptions if row.team_id is not None}
    of_organization = {
        row.organization_id: row.pk for row in subscriptions if row.organization_id is not None
    }
    if of_organization:
        teams = Team.objects.filter(organization__in=of_organization).values_list("pk", "organization_id")
        of_team.update({team: of_organization[organization] for team, organization in teams})
    return of_team
