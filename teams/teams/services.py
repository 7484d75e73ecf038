"""Creating and changing teams, personal entities among them."""

from collections.abc import Callable

from django.db import transaction
from django.utils.translation import gettext as _

from access.actions import Preset
from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.lifecycle.services import claim_name
from accounts.models import User
from common.errors import Invalid
from teams.access import OrganizationAction, TeamAction
from teams.members.services import join
from teams.models import Membership, Organization, Team, TeamKind
from teams.plan_policy import plan_policy
from teams.roles.builtin import built_in
from teams.teams.visibility import check_visibility


def create_personal_team(user: User) -> None:
    """Give a new person the team of kind personal that carries their name; runs in the user's transaction."""
    if user.is_service_account:
        return
    team = Team.objects.create(claim=user.claim, name=user.username, kind=TeamKind.PERSONAL)
    Membership.objects.create(team=team, user=user, role=built_in(Preset.ADMIN))
    plan_policy().on_personal_team_created(team)


@transaction.atomic
def create_team(
    *,
    actor: Actor,
    name: str,
    organization: Organization,
    admin: User,
    kind: str = TeamKind.WORK,
    give_bucket: Callable[[Team], None] | None = None,
) -> Team:
    """Make a team of an organization with its first admin (TEAM-2).

    Args:
        actor: Who makes it.
        name: What it is called for ever.
        organization: Whose it is.
        admin: Who can invite others.
        kind: Work or academic.
        give_bucket: Gives it a bucket that was tried (`teams.teams.new_bucket`).
    """
    require(actor, OrganizationAction.CREATE_TEAM, organization)
    if kind not in {TeamKind.WORK, TeamKind.ACADEMIC}:
        raise Invalid(_("Personal teams are created with their user; choose Work or Academic."))
    # locked, so that what it enforces for all teams reaches this one, too
    organization = Organization.objects.select_for_update(no_key=True).get(pk=organization.pk)
    team = Team.objects.create(
        claim=claim_name(name),
        name=name,
        organization=organization,
        kind=kind,
        **organization.enforced_privacy,
    )
    join(team=team, user=admin, role=built_in(Preset.ADMIN))
    record(
        actor,
        OrganizationAction.CREATE_TEAM,
        team,
        organization_id=organization.pk,
        team_id=team.pk,
        after={"admin": admin.username},
    )
    if give_bucket is not None:
        give_bucket(team)
    return team


@transaction.atomic
def change_team(
    *, actor: Actor, team: Team, display_name: str, kind: str, project_visibility: str | None = None
) -> Team:
    """Change what a team is called, what it is for, and who sees its new projects; None leaves that as it is.

    Raises:
        Conflict: the team's privacy forbids public projects.
    """
    require(actor, TeamAction.MANAGE_SETTINGS, team)
    if kind not in {TeamKind.WORK, TeamKind.ACADEMIC} or team.is_personal:
        raise Invalid(_("A team’s type must be Work or Academic."))
    seen = project_visibility or team.project_visibility
    if seen != team.project_visibility:
        check_visibility(team, seen)
    after = {"display_name": display_name.strip()[:120], "kind": kind, "project_visibility": seen}
    before = {name: getattr(team, name) for name in after}
    if after != before:
        for name, value in after.items():
            setattr(team, name, value)
        team.save(update_fields=[*after, "updated_at"])
        record(
            actor, "team.change_settings", team, organization_id=team.organization_id, team_id=team.pk,
            before=before, after=after,
        )  # fmt: skip
    return team
