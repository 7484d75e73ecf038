"""The rest of the demo's organization: more teams, every role and access, who is invited, who is away or gone."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.web.requests import actor_of_user
from accounts.lifecycle.services import create_user, set_active
from accounts.models import User
from demo.people import ORGANIZATION, PASSWORD
from runs.access import ProjectAction, RunAction
from runs.projects.access_requests import store_request
from runs.projects.members import add_project_member
from runs.projects.services import create_project
from teams.invitations.services import invite
from teams.members import services
from teams.models import (
    Invitation,
    Membership,
    Organization,
    OrganizationMember,
    ProductAccess,
    Team,
    TeamKind,
    Visibility,
)
from teams.organizations import services as organizations
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from teams.roles.custom import RoleFields, create_role
from teams.teams import privacy
from teams.teams.services import change_team, create_team

PEOPLE = {
    "nadia": "Nadia Haddad", "viktor": "Viktor Lindqvist", "oskar": "Oskar Nowak", "priya": "Priya Raman",
    "hana": "Hana Sato", "paulo": "Paulo Medeiros", "ines": "Inês Duarte", "felix": "Felix Brandt",
    "yuki": "Yuki Tanaka", "marta": "Marta Kowalska", "jonas": "Jonas Weber", "amina": "Amina Diallo",
}  # fmt: skip
TEAMS: dict[str, tuple[str, str, dict[str, Preset]]] = {
    "vision": ("Computer vision", TeamKind.WORK, {
        "priya": Preset.ADMIN, "hana": Preset.MEMBER, "nadia": Preset.VIEW_ONLY, "felix": Preset.MEMBER,
        "yuki": Preset.MEMBER, "marta": Preset.MEMBER, "viktor": Preset.MEMBER, "oskar": Preset.MEMBER,
        "paulo": Preset.MEMBER,
    }),
    "speech": ("Speech with the university", TeamKind.ACADEMIC, {
        "ines": Preset.ADMIN, "amina": Preset.MEMBER, "jonas": Preset.MEMBER, "nadia": Preset.VIEW_ONLY,
    }),
    "quiet-corner": ("", TeamKind.WORK, {}),
}  # fmt: skip
"""Name to display name, type and who is in it; quiet-corner has no project and ada alone."""
ROLES: list[tuple[RoleFields, tuple[str, ...]]] = [
    (
        RoleFields(
            "Labeler", Preset.VIEW_ONLY, frozenset({RunAction.UPDATE, ProjectAction.UPDATE}), "Tags and notes"
        ),
        ("marta", "oskar"),
    ),
    (
        RoleFields(
            "Night shift", Preset.MEMBER, frozenset({RunAction.STOP}), "Stops what runs away at night"
        ),
        ("yuki",),
    ),
]
"""The organization's own roles, and who of vision has them."""
ELSEWHERE = ("north-lake", "weather", "sofia", "Sofia Berg")
"""Another organization, its team, who is in it and how she is shown."""
NAMES = {*PEOPLE, *TEAMS, *ELSEWHERE[:3]}


def _person(name: str, shown: str, domain: str = "aurora-labs.example") -> User:
    user = create_user(actor=SYSTEM, username=name, email=f"{name}@{domain}", password=PASSWORD)
    user.display_name = shown
    user.save(update_fields=["display_name"])
    return user


@transaction.atomic
def make_colleagues() -> None:
    """Make them; `demo.people` has made the organization."""
    organization = Organization.objects.get(name=ORGANIZATION)
    organization.display_name = "Aurora Labs"
    organization.save(update_fields=["display_name"])
    people = {name: _person(name, shown) for name, shown in PEOPLE.items()}
    ada = User.objects.get(username="ada")
    for name, (shown, kind, members) in TEAMS.items():
        team = Team.objects.filter(name=name).first() or create_team(
            actor=SYSTEM, name=name, organization=organization, admin=ada, kind=kind
        )
        change_team(actor=SYSTEM, team=team, display_name=shown, kind=kind)
        for member, preset in members.items():
            services.add_member(actor=SYSTEM, team=team, user=people[member], role=built_in(preset))
    for name, visibility in (("leaderboard", Visibility.PUBLIC), ("shared-task", Visibility.OPEN)):
        create_project(actor=SYSTEM, team=Team.objects.get(name="speech"), name=name, visibility=visibility)
    _restrict(ada)
    _define_roles(organization)
    _limit(organization)
    _let_time_pass(people)
    _invite()


def _restrict(ada: User) -> None:
    """Make a restricted project with two people in it and one who asks to be."""
    team = Team.objects.get(name="speech")
    project = create_project(
        actor=actor_of_user(ada), team=team, name="earnings-calls", visibility=Visibility.RESTRICTED
    )
    others = [row.user for row in Membership.objects.filter(team=team).exclude(user=ada).order_by("pk")[:2]]
    for user in others[:1]:
        add_project_member(actor=SYSTEM, project=project, user=user, role=built_in(Preset.VIEW_ONLY))
    for user in others[1:]:
        store_request(team_id=team.pk, name=project.name, user_id=user.pk)


def _define_roles(organization: Organization) -> None:
    for fields, members in ROLES:
        role = create_role(actor=SYSTEM, organization=organization, fields=fields)
        for row in Membership.objects.filter(team__name="vision", user__username__in=members):
            services.change_role(actor=SYSTEM, membership=row, role=role)


def _limit(organization: Organization) -> None:
    """Give some less than everything, and the organization something it decides for all."""
    member = OrganizationMember.objects.select_related("organization", "user", "role")
    for name, changes in {
        "nadia": {"role": built_in(Preset.ORGANIZATION_VIEWER)},
        "jonas": {"models_access": ProductAccess.VIEW_ONLY},
        "paulo": {"models_access": ProductAccess.NONE, "weave_access": ProductAccess.NONE},
        "priya": {"role": built_in(Preset.ORGANIZATION_ADMIN)},
    }.items():
        row = member.get(user__username=name, organization=organization)
        organizations.change_organization_member(actor=SYSTEM, member=row, **changes)  # type: ignore[arg-type]
    privacy.enforce_privacy(actor=SYSTEM, organization=organization, values={"members_may_invite": True})


def _let_time_pass(people: dict[str, User]) -> None:
    """Let viktor not have been seen for most of a year, and oskar be gone."""
    long_ago = timezone.now() - timedelta(days=300)
    User.objects.filter(username__in=["viktor", "oskar"]).update(created_at=long_ago)
    for rows in (people["viktor"].memberships, people["viktor"].organization_memberships):
        rows.update(created_at=long_ago)
    set_active(actor=SYSTEM, user=people["oskar"], is_active=False)


def _invite() -> None:
    """Ask two people into vision, one of them too long ago, and ada into a team of another organization."""
    vision = Team.objects.get(name="vision")
    member = built_in(Preset.MEMBER)
    invite(actor=SYSTEM, team=vision, role=member, email="charlotte.olsen@partner.example")
    late = invite(actor=SYSTEM, team=vision, role=built_in(Preset.VIEW_ONLY), email="kofi@partner.example")
    Invitation.objects.filter(pk=late.pk).update(expires_at=timezone.now() - timedelta(days=3))
    organization, team, name, shown = ELSEWHERE
    sofia = _person(name, shown, "north-lake.example")
    home = create_organization(actor=SYSTEM, name=organization, admin=sofia)
    weather = create_team(actor=SYSTEM, name=team, organization=home, admin=sofia)
    invite(actor=SYSTEM, team=weather, role=member, username="ada")
