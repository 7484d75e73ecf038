"""BIL-5: usage as CSV, by calendar month, team and project."""

import csv
import io
from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from access.actions import Preset
from accounts.models import User
from runs.models import Project
from teams.models import Team
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_member
from tests.streams import body_of
from usage.tests.usage_rows import metered, used

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
URL = "/organizations/lab/billing/usage.csv"


@pytest.fixture
def vision() -> Team:
    admin = UserFactory(username="olga")
    return TeamFactory(name="vision", organization=OrganizationFactory(name="lab", admin=admin), admin=admin)


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def _read(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 200
    assert response.streaming
    text = body_of(response).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_a_line_for_each_month_team_and_project(client: Client, vision: Team) -> None:
    """BIL-5: documented columns with units."""
    pets, user = ProjectFactory(team=vision, name="pets"), UserFactory(username="ada")
    used(
        vision,
        date(2026, 4, 1),
        project=pets,
        user=user,
        hours=1.5,
        gb=3,
        ingested_gb=0.25,
        gpu_hours=4,
        kwh=2,
    )
    used(vision, date(2026, 5, 2), project=pets, hours=2)
    used(vision, date(2026, 5, 2), hours=1)
    metered(NOW)
    client.force_login(User.objects.get(username="olga"))
    lines = _read(client.get(URL))
    assert lines[0] == {
        "month": "2026-04", "team": "vision", "project": "pets", "project_id": str(pets.pk),
        "tracked_hours": "1.500000", "storage_average_gb": "3.000000", "storage_end_gb": "3.000000",
        "ingested_gb": "0.250000", "gpu_hours": "4.000000", "energy_kwh": "2.000000",
            "host_gpu_hours": "0.000000", "host_energy_kwh": "0.000000",
    }  # fmt: skip
    assert [(line["month"], line["project"], line["tracked_hours"]) for line in lines[1:]] == [
        ("2026-05", "pets", "2.000000"), ("2026-05", "", "1.000000")
    ]  # fmt: skip
    assert lines[1]["storage_average_gb"] == "3.000000"
    by_user = _read(client.get(URL + "?user=1&from=2026-04&to=2026-04"))
    assert [line["user"] for line in by_user] == ["ada"]


def test_names_are_no_formulas_and_outlive_their_things(client: Client, vision: Team) -> None:
    """BIL-5: safe for spreadsheets; deleted projects keep their names."""
    risky = ProjectFactory(team=vision, name="-1+cmd")
    used(vision, date(2026, 5, 2), project=risky, hours=2)
    metered(NOW)
    Project.objects.filter(pk=risky.pk).update(deleted_at=NOW)
    client.force_login(User.objects.get(username="olga"))
    assert _read(client.get(URL))[0]["project"] == "'-1+cmd"


@pytest.mark.parametrize(
    "query",
    ["from=2026-06&to=2026-05", "from=x", "to=2026-13", "from=1900-01", "from=0001-01&to=0001-01&x=1"],
)
def test_months_that_are_none_are_refused(client: Client, vision: Team, query: str) -> None:
    """BIL-5: a range is two months in order, at most 120."""
    client.force_login(User.objects.get(username="olga"))
    response = client.get(f"{URL}?{query}")
    assert response.status_code in ({400, 422} if "0001" not in query else {200, 400, 422})


def test_a_team_s_export_is_its_own(client: Client, vision: Team) -> None:
    """BIL-5."""
    used(TeamFactory(organization=vision.organization), date(2026, 5, 2), hours=5)
    used(vision, date(2026, 5, 2), hours=2)
    metered(NOW)
    client.force_login(make_member(vision, Preset.ADMIN))
    assert [line["team"] for line in _read(client.get("/teams/vision/usage.csv"))] == ["vision"]
    assert client.get(URL).status_code == 403


def test_it_costs_three_queries_a_month(
    client: Client, vision: Team, django_assert_max_num_queries: Any
) -> None:
    """BIL-5: whatever there is in them, up to 500 lines."""
    for number in range(40):
        used(vision, date(2026, 5, 2), project=ProjectFactory(team=vision, name=f"p{number}"), hours=2)
    metered(NOW)
    client.force_login(User.objects.get(username="olga"))
    with django_assert_max_num_queries(15):
        assert len(_read(client.get(URL + "?from=2026-05&to=2026-05"))) == 40
