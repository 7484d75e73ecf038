"""What programs change of teams and organizations by REST: profile pages (TEAM-10), leaving, members' keys."""

import json
from typing import Any

import pytest
from django.test import Client

from access.models import AuditEntry
from accounts.models import ApiKey, User
from accounts.profile.services import MAX_INTRO
from teams.models import OrganizationMember, Team
from tests.factories import ServiceAccountFactory, TeamFactory, UserFactory, basic, make_key, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team() -> Team:
    chief = UserFactory(username="chief")
    made: Team = TeamFactory(name="vision", organization__name="acme", admin=chief, organization__admin=chief)
    return made


@pytest.fixture
def chief(team: Team) -> User:
    return User.objects.get(username="chief")


def _ask(user: User, method: str, path: str, body: Any = None, **key: Any) -> Any:
    content = "" if body is None else json.dumps(body)
    headers = {"Authorization": basic(make_key(user, **key))}
    return Client().generic(
        method, f"/api/v1/{path}", content, content_type="application/json", headers=headers
    )


def test_the_profile_page_of_a_team_is_read_and_changed_in_parts(team: Team, chief: User):
    """TEAM-6, TEAM-10: what is not sent stays, and the name of the team, too."""
    link = {"label": "Home", "url": "https://example.com/"}
    first = _ask(chief, "PATCH", "teams/vision/", {"intro": "# We see", "links": [link], "bio": "Cameras"})
    assert first.status_code == 200, first.content
    second = json.loads(_ask(chief, "PATCH", "teams/vision/", {"location": "Kyoto"}).content)
    shown = json.loads(_ask(chief, "GET", "teams/vision/").content)
    assert shown == second
    told = {name: shown[name] for name in ("intro", "links", "bio", "location", "institution", "picture")}
    assert told == {
        "intro": "# We see", "links": [link], "bio": "Cameras", "location": "Kyoto", "institution": "", "picture": "",
    }  # fmt: skip
    assert shown["display_name"] == team.display_name
    listed = json.loads(_ask(chief, "GET", "teams/").content)["results"]
    assert "intro" not in listed[0], "lists stay short"


@pytest.mark.parametrize(
    "body",
    [
        {"intro": "x" * (MAX_INTRO + 1)},
        {"links": [{"label": "a", "url": "javascript:alert(1)"}]},
        {"links": [{"label": "a", "address": "https://example.com"}]},
        {"introduction": "x"},
    ],
)
def test_what_no_profile_takes_is_refused_whole(team: Team, chief: User, body: dict[str, Any]):
    """TEAM-10: nothing of a refused request is stored."""
    assert _ask(chief, "PATCH", "teams/vision/", body | {"display_name": "Other"}).status_code == 400
    team.refresh_from_db()
    assert team.display_name != "Other"


def test_one_leaves_an_organization_by_key(team: Team):
    """TEAM-31: with its teams; not by a key with scopes, and not the last admin."""
    mia = make_member(team, username="mia")
    path = "organizations/acme/members/mia/"
    assert _ask(mia, "DELETE", path, scopes=["organization.view", "team.view"]).status_code == 403
    assert _ask(mia, "DELETE", path).status_code == 204
    assert not OrganizationMember.objects.filter(user=mia).exists()
    assert not team.memberships.filter(user=mia).exists()
    assert AuditEntry.objects.filter(action="organization.leave").exists()
    last = User.objects.get(username="chief")
    assert _ask(last, "DELETE", "organizations/acme/members/chief/").status_code == 409


def test_admins_of_an_organization_list_and_revoke_its_members_keys(team: Team, chief: User):
    """Semantics 3: of people and programs, and of nobody else."""
    mia, bot = make_member(team, username="mia"), ServiceAccountFactory(team=team).user
    make_key(mia, label="laptop")
    make_key(bot, label="farm")
    make_key(UserFactory(), label="elsewhere")
    path = "organizations/acme/keys/"
    rows = json.loads(_ask(chief, "GET", f"{path}?kind=service").content)["results"]
    assert [(row["label"], row["owner"]) for row in rows] == [("farm", bot.username)]
    rows = json.loads(_ask(chief, "GET", f"{path}?search=laptop").content)["results"]
    assert [row["owner"] for row in rows] == ["mia"]
    assert _ask(chief, "GET", f"{path}?kind=robot").status_code == 400
    assert _ask(mia, "GET", path).status_code == 403
    for label, status in (("laptop", 204), ("laptop", 404), ("elsewhere", 404)):
        key = ApiKey.objects.filter(label=label).first()
        number = key.pk if key else rows[0]["id"]
        assert _ask(chief, "DELETE", f"{path}{number}/").status_code == status, label
    assert sorted(ApiKey.objects.filter(label__gt="").values_list("label", flat=True)) == [
        "elsewhere",
        "farm",
    ]
