"""BIL-5: pages of usage of organizations and of teams."""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from access.actions import Preset
from accounts.lifecycle.deletion import make_tombstone
from accounts.models import User
from runs.models import Project
from teams.models import Team, Visibility
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    TeamFactory,
    UserFactory,
    custom_role,
    make_member,
)
from usage.models import UsageDay
from usage.reports.chart import HEIGHT, ChartSeries, draw
from usage.tests.usage_rows import metered, used

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def vision() -> Team:
    admin = UserFactory(username="olga")
    organization = OrganizationFactory(name="lab", admin=admin)
    return TeamFactory(name="vision", organization=organization, admin=admin)


@pytest.fixture
def client(client: Client, vision: Team) -> Client:
    client.force_login(User.objects.get(username="olga"))
    return client


def _text(response: Any) -> str:
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


URL = "/organizations/lab/billing/usage"


def test_teams_are_listed_largest_first_with_their_share(client: Client, vision: Team) -> None:
    """BIL-5."""
    speech = TeamFactory(name="speech", organization=vision.organization)
    used(vision, date(2026, 5, 3), hours=30, gb=12)
    used(speech, date(2026, 5, 3), hours=10)
    metered(NOW)
    response = client.get(URL)
    page = response.context["usage"]
    assert [(row.name.text, row.values["hours"], row.share) for row in page.rows] == [
        ("vision", Decimal(30), 75.0), ("speech", Decimal(10), 25.0)
    ]  # fmt: skip
    assert page.rows[0].stored_gb == 12
    text = _text(response)
    assert "75.0%" in text
    assert "40.0 h" in text


def test_what_is_less_than_one_of_a_column_has_its_own_unit(client: Client, vision: Team) -> None:
    """UI-7: not "0.02", nor "<0.0001"."""
    used(vision, date(2026, 5, 3), hours=0.02, gpu_hours=2, gb=0.005)
    metered(NOW)
    cells = re.findall(r'<td class="end[^"]*" title="([^"]+)">([^<]+)</td>', client.get(URL).content.decode())
    assert ("0.02 h", "1.20 min") in cells
    assert ("2 h", "2") in cells
    assert ("0.005 GB", "5 MB") in cells


def test_one_goes_down_from_team_to_project_to_people(client: Client, vision: Team) -> None:
    """BIL-5: each row leads further; what is active is named, with a way out."""
    project = ProjectFactory(team=vision, name="pets")
    user = UserFactory(username="ada")
    used(vision, date(2026, 5, 3), project=project, user=user, hours=30)
    metered(NOW)
    teams = client.get(URL).context["usage"].rows
    projects = client.get(URL + teams[0].url)
    assert [row.name.text for row in projects.context["usage"].rows] == ["pets"]
    assert [one.name.text for one in projects.context["usage"].active] == ["vision"]
    people = client.get(URL + projects.context["usage"].rows[0].url)
    assert [row.name.text for row in people.context["usage"].rows] == ["ada"]
    assert [one.name.text for one in people.context["usage"].active] == ["vision", "pets"]
    assert people.context["usage"].rows[0].url == ""
    out = client.get(URL + people.context["usage"].active[0].url)
    assert out.context["usage"].active == []


def test_months_are_those_of_a_year_each_with_its_own_mean(client: Client, vision: Team) -> None:
    """BIL-5: the overview of twelve months."""
    used(vision, date(2026, 3, 1), hours=5, gb=10)
    used(vision, date(2026, 5, 2), hours=7)
    metered(NOW)
    page = client.get(URL + "?by=month").context["usage"]
    assert len(page.rows) == 12
    assert page.rows[0].name.text == "May 2026"
    by_name = {row.name.text: row for row in page.rows}
    assert by_name["March 2026"].values["hours"] == 5
    assert by_name["April 2026"].values["storage"] == 10
    assert by_name["May 2026"].values["storage"] == 10
    assert by_name["February 2026"].values["storage"] == 0
    assert len(page.chart.columns) == 12


def test_an_earlier_period_is_chosen_and_one_to_come_is_not(client: Client, vision: Team) -> None:
    """BIL-5."""
    used(vision, date(2026, 4, 30), hours=3)
    metered(NOW)
    april = client.get(URL + "?period=2026-04-10").context["usage"]
    assert april.usage_filter.period.start == date(2026, 4, 1)
    assert april.rows[0].values["hours"] == 3
    assert client.get(URL + "?period=2031-01-01").context["usage_filter"].period.start == date(2026, 5, 1)


@pytest.mark.parametrize(
    "query", ["period=x", "by=moon", "category=tea", "sort=tea", "page=999", "team=x", "period=0001-01-01"]
)
def test_what_an_address_says_wrongly_is_not_said(client: Client, vision: Team, query: str) -> None:
    """BIL-5: no address of a page is an error."""
    used(vision, date(2026, 5, 3), hours=30)
    metered(NOW)
    assert client.get(f"{URL}?{query}").status_code == 200


def test_foreign_things_are_not_named(client: Client, vision: Team) -> None:
    """BIL-5: numbers in addresses find nothing of other organizations."""
    other = ProjectFactory(name="secret")
    stranger = UserFactory(username="stranger")
    used(other.team, date(2026, 5, 3), project=other, user=stranger, hours=1)
    metered(NOW)
    for query in (f"team={other.team_id}", f"project={other.pk}", f"user={stranger.pk}"):
        response = client.get(f"{URL}?{query}")
        assert response.status_code == 404
        assert b"secret" not in response.content
        assert b"stranger" not in response.content


def test_names_of_what_is_gone_are_kept_and_marked(client: Client, vision: Team) -> None:
    """BIL-4, BIL-5: deleted projects and accounts."""
    project, user = ProjectFactory(team=vision, name="old-pets"), UserFactory(username="gone")
    used(vision, date(2026, 5, 3), project=project, user=user, hours=30)
    metered(NOW)
    Project.objects.filter(pk=project.pk).update(deleted_at=timezone.now())
    make_tombstone(user)
    for by, name in (("project", "old-pets"), ("user", "gone")):
        text = _text(client.get(f"{URL}?by={by}"))
        assert re.search(rf"{name}\s+Deleted", text)
    used(vision, date(2026, 5, 3), hours=1)
    assert "No project" in _text(client.get(f"{URL}?by=project"))
    assert "Unknown" in _text(client.get(f"{URL}?by=user"))


def test_restricted_projects_are_named_to_who_may_see_them(client: Client, vision: Team) -> None:
    """BIL-5, TEAM-24: a role that sees usage and no restricted project reads its numbers, not its name."""
    project = ProjectFactory(team=vision, name="merger", visibility=Visibility.RESTRICTED)
    used(vision, date(2026, 5, 3), project=project, hours=30)
    metered(NOW)
    assert vision.organization is not None
    role = custom_role(vision.organization, ["team.view", "team.view_usage"])
    client.force_login(make_member(vision, role))
    text = _text(client.get("/teams/vision/usage"))
    assert "merger" not in text
    assert "Restricted project" in text
    assert "30.0" in text


def test_a_team_s_page_needs_the_action_and_shows_only_it(client: Client, vision: Team) -> None:
    """BIL-5."""
    speech = TeamFactory(name="speech", organization=vision.organization)
    used(vision, date(2026, 5, 3), hours=30)
    used(speech, date(2026, 5, 3), hours=99)
    metered(NOW)
    client.force_login(make_member(vision, Preset.ADMIN))
    response = client.get("/teams/vision/usage")
    assert response.context["usage"].totals[0].value == 30
    assert client.get(f"/teams/vision/usage?team={speech.pk}").status_code == 404
    client.force_login(make_member(vision))
    assert client.get("/teams/vision/usage").status_code == 403
    client.force_login(UserFactory())
    assert client.get(URL).status_code == 404


@pytest.mark.parametrize("query", ["", "?by=project", "?by=user&category=storage", "?by=month"])
def test_pages_cost_the_same_however_much_there_is(
    client: Client, vision: Team, query: str, django_assert_max_num_queries: Any
) -> None:
    """BIL-5: a fixed number of queries; signing in, frames and names included."""
    for number in range(60):
        project = ProjectFactory(team=vision, name=f"p{number}")
        used(vision, date(2026, 5, 1 + number % 19), project=project, hours=number + 1, gb=1)
    metered(NOW)
    client.get(URL)
    with django_assert_max_num_queries(32):
        response = client.get(URL + query)
    if query == "?by=project":
        assert len(response.context["usage"].rows) == 50
        assert len(response.context["usage"].chart.series) == 8
        assert response.context["usage"].chart.series[-1].name == "All others"


def test_nothing_used_is_said(client: Client, vision: Team) -> None:
    """UI-4."""
    assert "No usage in this period" in _text(client.get(URL))
    assert "Not counted yet" in _text(client.get(URL))


def test_sorting_by_any_column(client: Client, vision: Team) -> None:
    """BIL-5: sortable, by name too."""
    for name, hours, gb in (("b", 3, 1), ("a", 2, 5), ("c", 1, 3)):
        used(vision, date(2026, 5, 3), project=ProjectFactory(team=vision, name=name), hours=hours, gb=gb)
    metered(NOW)

    def order(sort: str) -> str:
        rows = client.get(f"{URL}?by=project&sort={sort}").context["usage"].rows
        return "".join(row.name.text for row in rows)

    assert [order(sort) for sort in ("", "-hours", "storage", "name", "-name")] == [
        "bac", "cab", "acb", "abc", "cba"
    ]  # fmt: skip


def test_columns_of_the_chart_end_below_its_highest_line() -> None:
    """BIL-5: bug: columns stood above the panel."""
    for largest in ("0.031", "7", "99.9", "100", "133", "870", "12345"):
        chart = draw(
            [ChartSeries("a", 0, [Decimal(largest), Decimal(1) / 3])], [("1", "one"), ("2", "two")], "h"
        )
        assert all(piece.y >= 0 for column in chart.columns for piece in column.pieces)
        assert 2 <= len(chart.lines) <= 5
        assert chart.lines[-1].y == 0
        assert chart.lines[0].y == HEIGHT


def test_days_of_storage_show_what_was_held(client: Client, vision: Team) -> None:
    """BIL-5: a level goes on until it changes, and stops today."""
    used(vision, date(2026, 4, 10), gb=4)
    used(vision, date(2026, 5, 10), gb=6)
    metered(NOW)
    chart = client.get(URL + "?category=storage").context["usage"].chart
    values = chart.series[0].values
    assert [values[at] for at in (0, 8, 9, 19, 20, 30)] == [4, 4, 10, 10, 0, 0]
    assert UsageDay.objects.filter(day=date(2026, 5, 1), opening_bytes=4 * 10**9).exists()
