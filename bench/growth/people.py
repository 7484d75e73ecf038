"""An organization of more and more members, and a team of more and more projects: their pages."""

from collections.abc import Iterator

from django.db import transaction

from access.actions import Preset
from access.actor import SYSTEM
from accounts.lifecycle.services import create_user
from bench import world
from bench.growth.requests import Browser, Cost
from runs.models import Project
from teams.models import Membership, OrganizationMember
from teams.organizations.services import create_organization
from teams.roles.builtin import built_in
from teams.teams.services import create_team

MEMBERS = (10, 100, 1_000, 10_000)
PROJECTS = (1, 10, 100, 1_000)
Costs = dict[str, Cost | float]


def members() -> Iterator[tuple[int, Costs]]:
    """Yield costs by name for each number of members, all of them in one team, too."""
    chief = create_user(actor=SYSTEM, username="chief-of-many", email="many@example.com")
    organization = create_organization(actor=SYSTEM, name="many", admin=chief)
    team = create_team(actor=SYSTEM, name="everybody", organization=organization, admin=chief)
    project = Project.objects.create(team=team, name="shared")
    world.runs(project, 10)
    browser, there = Browser(chief), 1
    of_organization, of_team = built_in(Preset.ORGANIZATION_MEMBER), built_in(Preset.MEMBER)
    for size in MEMBERS:
        with transaction.atomic():
            people = [
                create_user(actor=SYSTEM, username=f"person{number}", email=f"person{number}@example.com")
                for number in range(there, size)
            ]
            OrganizationMember.objects.bulk_create(
                OrganizationMember(organization=organization, user=user, role=of_organization)
                for user in people
            )
            Membership.objects.bulk_create(Membership(team=team, user=user, role=of_team) for user in people)
        there = size
        pages = {
            "organization": "/organizations/many", "found in it": "/organizations/many?q=person7",
            "team": "/teams/everybody", "project": "/everybody/shared", "runs": "/everybody/shared/runs",
            "home": "/", "search": "/search?q=person7",
        }  # fmt: skip
        yield size, {name: browser.cost(address) for name, address in pages.items()}


def projects() -> Iterator[tuple[int, Costs]]:
    """Yield costs by name for each number of projects of a team; each has a run."""
    team = world.project("first").team
    browser, there = Browser(team.memberships.get().user), 1
    for size in PROJECTS:
        with transaction.atomic():
            for number in range(there, size):
                world.runs(Project.objects.create(team=team, name=f"project-{number}"), 1)
        there = size
        pages = {
            "team": f"/{team.name}", "home": "/", "search": "/search?q=project-7", "a project": f"/{team.name}/first",
            "its runs": f"/{team.name}/first/runs",
        }  # fmt: skip
        yield size, {name: browser.cost(address) for name, address in pages.items()}
