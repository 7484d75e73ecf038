"""The projects, members and newest runs of large teams and organizations: a page at a time, found by words."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from runs.entity_pages import entity
from runs.entity_pages.project_list import PAGE
from runs.highlights.newest import newest_runs
from runs.models import Project, Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
MANY = PAGE + 3


@pytest.fixture
def team() -> Any:
    team = TeamFactory(name="vision", admin=UserFactory(username="ada"))
    at = timezone.now()
    for number in range(MANY):
        made = ProjectFactory(team=team, name=f"model-{number:03}")
        Project.objects.filter(pk=made.pk).update(last_active_at=at - timedelta(hours=number))
    return team


def ask(path: str, **headers: str) -> str:
    client = Client(headers=headers)
    client.force_login(User.objects.get(username="ada"))
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def names(html: str) -> list[str]:
    return re.findall(r">(model-\d+)</a>", html)


@pytest.mark.parametrize("of", ["team", "organization"])
def test_projects_are_shown_a_page_at_a_time(team, of):
    """TEAM-1, TEAM-10."""
    address = f"/{team.name if of == 'team' else team.organization.name}"
    first, second = ask(address), ask(f"{address}?page=2")
    assert f"1–{PAGE} of {MANY}" in first
    assert [*names(first), *names(second)] == [f"model-{number:03}" for number in range(MANY)]
    assert f'<span class="count">{MANY}</span>' in second


def test_projects_are_found_by_words_in_any_order(team):
    html = ask("/vision?q=05+MODEL")
    assert names(html) == ["model-005", "model-050", "model-051", "model-052"]
    assert f'<span class="count">{MANY}</span>' in html
    assert "No matching projects." in ask("/vision?q=nothing-like-it")


def test_a_search_is_answered_with_the_list_alone(team):
    html = ask("/vision?q=052", **{"HX-Request": "true"})
    assert names(html) == ["model-052"]
    assert "<html" not in html
    assert 'id="live"' in html


def test_a_page_that_is_not_there_is_the_last_one(team):
    assert names(ask("/vision?page=900"))[-1] == f"model-{MANY - 1:03}"
    assert len(names(ask("/vision?page=x"))) == PAGE


def test_few_projects_have_no_search(team):
    Project.objects.filter(name__gt="model-004").delete()
    html = ask("/vision")
    assert len(names(html)) == 5
    assert "data-page-search" not in html
    assert "data-page-search" in ask("/vision?q=model")


def test_of_many_members_the_first_are_shown(team, monkeypatch):
    monkeypatch.setattr(entity, "_MOST_MEMBERS", 3)
    for number in range(3):
        make_member(team, username=f"member-{number}")
    html = ask("/vision")
    assert '<span class="count">4</span>' in html
    assert 'href="/teams/vision"' in html
    assert "member-1" in html
    assert "member-2" not in html


def test_the_newest_runs_are_those_of_a_walk_through_all(team):
    member, at = make_member(team), timezone.now()
    for number, project in enumerate(Project.objects.order_by("name")[:12]):
        for back in range(3):
            run = RunFactory(project=project, user=member)
            is_gone = (number + back) % 4 == 0
            Run.objects.filter(pk=run.pk).update(
                created_at=at - timedelta(minutes=7 * number + 31 * back),
                deleted_at=at if is_gone else None,
                is_host=back == number % 3,
            )
    every = Run.objects.listed().filter(is_host=False).order_by("-created_at", "-pk")
    found = newest_runs(actor(member), Project.objects.all(), 8)
    assert found == list(every[:8])
    assert newest_runs(actor(UserFactory()), Project.objects.all(), 8) == []
