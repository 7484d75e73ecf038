"""What the form of "Explain access" offers to choose from; whatever else has a name can be written, too."""

from django.db.models import Q

from access.actor import Actor
from access.engine import can, visible
from access.resource_paths import newest_paths
from accounts.api_keys.selectors import api_keys_of
from accounts.models import ApiKey, User
from teams.access import OrganizationAction, TeamAction
from teams.models import Organization, Team

_MOST_PEOPLE = 500
_MOST_OF_A_KIND = 30


def people_of(within: Team | Organization) -> list[User]:
    """Return who may be asked about: members, and service accounts."""
    if isinstance(within, Team):
        there = Q(memberships__team=within)
    else:
        there = Q(organization_memberships__organization=within) | Q(service_account__organization=within)
    return list(User.objects.filter(there).distinct().order_by("username")[:_MOST_PEOPLE])


def paths_of(asker: Actor, within: Team | Organization | None) -> list[str]:
    """Return names of what lies there, the newest of each kind; of oneself what lies in one's teams."""
    if isinstance(within, Team):
        return newest_paths(asker, [within.pk], _MOST_OF_A_KIND)
    if within is None:
        mine = visible(asker, TeamAction.VIEW, Team.objects.filter(memberships__user=asker.lookup_id))
        return newest_paths(asker, mine.values_list("pk", flat=True), _MOST_OF_A_KIND)
    teams = Team.objects.live().filter(organization=within)
    return [within.name, *newest_paths(asker, teams.values_list("pk", flat=True), _MOST_OF_A_KIND)]


def keys_of(asker: Actor, within: Team | Organization | None) -> list[ApiKey]:
    """Return the keys that one may ask about: one's own, and those of service accounts that one manages there."""
    keys = Q(pk__in=api_keys_of(asker).values("pk"))
    if isinstance(within, Team) and can(asker, TeamAction.MANAGE_SERVICE_ACCOUNTS, within):
        keys |= Q(user__service_account__team=within)
    elif isinstance(within, Organization) and can(asker, OrganizationAction.MANAGE_MEMBERS, within):
        keys |= Q(user__service_account__organization=within)
    return list(ApiKey.objects.filter(keys).select_related("user").order_by("-pk")[:_MOST_OF_A_KIND])
