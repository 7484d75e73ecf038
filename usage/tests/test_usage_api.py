"""BIL-5: usage for programs."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from access.actions import Preset
from accounts.models import User
from teams.models import Team
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    TeamFactory,
    UserFactory,
    make_key,
    make_member,
)
from usage.tests.usage_rows import metered, used

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
URL = "/api/v1/usage"


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def vision() -> Team:
    admin = UserFactory(username="olga")
    team = TeamFactory(name="vision", organization=OrganizationFactory(name="lab", admin=admin), admin=admin)
    project = ProjectFactory(team=team, name="pets")
    used(team, date(2026, 4, 30), project=project, user=admin, hours=1, gb=2)
    used(team, date(2026, 5, 3), project=project, user=admin, hours=30, ingested_gb=1)
    used(TeamFactory(name="speech", organization=team.organization), date(2026, 5, 3), hours=2)
    metered(NOW)
    return team


def _ask(client: Client, person: User, **query: str) -> Any:
    return client.get(URL, query, HTTP_AUTHORIZATION=f"Bearer {make_key(person)}")


@pytest.mark.parametrize(
    ("by", "first"),
    [
        ("team", {"team": "vision"}),
        ("project", {"project": "pets", "team": "vision"}),
        ("user", {"user": "olga"}),
    ],
)
def test_usage_by_team_project_and_user(client: Client, vision: Team, by: str, first: dict[str, str]) -> None:
    """BIL-5: largest first, with the sum of all."""
    body = _ask(client, User.objects.get(username="olga"), organization="lab", by=by).json()
    assert body["period"] == {"start": "2026-05-01", "end": "2026-06-01"}
    assert (body["count"], body["total"]["tracked_hours"]) == (2, 32.0)
    row = body["results"][0]
    assert {name: row[name] for name in first} == first
    assert (row["tracked_hours"], row["storage_average_gb"], row["storage_end_gb"]) == (30.0, 2.0, 2.0)


def test_usage_by_day_and_by_month(client: Client, vision: Team) -> None:
    """BIL-5: days that have begun; twelve months, with what was held in each."""
    olga = User.objects.get(username="olga")
    days = _ask(client, olga, team="vision", by="day").json()["results"]
    assert len(days) == 20
    assert days[2] == {
        "day": "2026-05-03", "tracked_hours": 30.0, "storage_average_gb": 2.0, "storage_end_gb": 2.0,
        "ingested_gb": 1.0, "gpu_hours": 0.0, "energy_kwh": 0.0, "host_gpu_hours": 0.0,
        "host_energy_kwh": 0.0,
    }  # fmt: skip
    months = _ask(client, olga, organization="lab", by="month").json()
    assert (months["count"], months["results"][0]["month"]) == (12, "2025-06")
    assert months["results"][-1]["tracked_hours"] == 32.0
    assert months["total"]["tracked_hours"] == 33.0


def test_an_earlier_period_and_a_limit(client: Client, vision: Team) -> None:
    """BIL-5."""
    olga = User.objects.get(username="olga")
    april = _ask(client, olga, organization="lab", period="2026-04-15").json()
    assert april["total"]["tracked_hours"] == 1.0
    one = _ask(client, olga, organization="lab", limit="1").json()
    assert (len(one["results"]), one["count"]) == (1, 2)


@pytest.mark.parametrize(
    "query",
    [{}, {"organization": "lab", "team": "vision"}, {"organization": "lab", "by": "moon"},
     {"organization": "lab", "period": "soon"}, {"organization": "lab", "limit": "-1"}],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(client: Client, vision: Team, query: dict[str, str]) -> None:
    """BIL-5."""
    assert _ask(client, User.objects.get(username="olga"), **query).status_code == 400


def test_who_may(client: Client, vision: Team) -> None:
    """BIL-1, BIL-5: organization admins; of a team who sees its usage."""
    admin, member = make_member(vision, Preset.ADMIN), make_member(vision)
    assert _ask(client, admin, team="vision").status_code == 200
    assert _ask(client, admin, organization="lab").status_code == 403
    assert _ask(client, member, team="vision").status_code == 403
    assert _ask(client, UserFactory(), team="vision").status_code == 404
