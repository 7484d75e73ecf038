"""What of artifacts changes hands when two accounts become one (`accounts.lifecycle.account_merge`).

Projects have moved by then (`runs.projects.account_merge`), and their artifacts with them: here the bytes follow.
"""

from collections.abc import Iterator

from accounts.lifecycle.participants import MergeLine
from accounts.models import User
from artifacts.models import AliasChange, Collection, Membership, Version, VersionState
from artifacts.retention import ledger
from artifacts.versions.time_to_live import inheriting, reckon_expiry, team_ttls
from runs.models import Project
from teams.account_merge import personal_team


def preview_merge(source: User, _target: User) -> Iterator[MergeLine]:
    """Yield what the account that ends has."""
    logged = Version.objects.filter(created_by=source, state=VersionState.COMMITTED)
    yield MergeLine("artifact versions", logged.count())


def merge(source: User, target: User) -> None:
    """Hand over versions and collections, and enter the bytes of moved projects where they are now."""
    Version.objects.filter(created_by=source).update(created_by=target)
    Collection.objects.filter(created_by=source).update(created_by=target)
    Membership.objects.filter(created_by=source).update(created_by=target)
    AliasChange.objects.filter(user=source).update(user=target)
    team = personal_team(target)
    for project in Project.objects.live().filter(team=team):
        ledger.settle(project)
    reckon_expiry(inheriting(team=team), team_ttls([team.pk]).get(team.pk, 0))
