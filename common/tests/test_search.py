"""The search of every page (UI-1)."""

import pytest
from django.test import Client
from django.urls import reverse

from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def asked(client: Client, text: str) -> str:
    return client.get(
        reverse("accounts:search"), {"q": text}, headers={"HX-Request": "true"}
    ).content.decode()


@pytest.fixture
def signed_in(client):
    team = TeamFactory(name="vision")
    member = make_member(team, username="ada")
    client.force_login(member)
    RunFactory(
        project=ProjectFactory(team=team, name="digits"),
        uid="abc12345",
        display_name="warm start",
        user=member,
    )
    return client


def test_projects_runs_people_and_settings_are_found(signed_in):
    """UI-1."""
    assert "/vision/digits/runs/abc12345" in asked(signed_in, "warm st")
    assert "/vision/digits/runs/abc12345" in asked(signed_in, "abc1")
    assert "/vision/digits" in asked(signed_in, "vision/dig")
    assert 'href="/vision"' in asked(signed_in, "visi")
    assert "/settings/api-keys" in asked(signed_in, "api")
    assert "No results for" in asked(signed_in, "no such thing")


def test_nothing_is_found_that_may_not_be_seen(client):
    """UI-1: a stranger finds what is public and nothing else."""
    team = TeamFactory(name="vision")
    RunFactory(project=ProjectFactory(team=team, name="hidden"), display_name="hidden run")
    public = ProjectFactory(
        team=TeamFactory(name="shown-team"), name="hidden-not", visibility=Visibility.PUBLIC
    )
    found = asked(client, "hidden")
    assert "/vision/" not in found
    assert f"/{public.team.name}/hidden-not" in found
    assert "/vision" not in asked(client, "vision")
    assert "/settings" not in asked(client, "api")


def test_the_number_of_queries_does_not_grow_with_what_is_found(signed_in, django_assert_max_num_queries):
    project = ProjectFactory(name="many")
    for number in range(12):
        RunFactory(project=project, display_name=f"warm {number}")
    with django_assert_max_num_queries(12):
        asked(signed_in, "warm")


def test_what_matches_is_marked_and_says_why(signed_in):
    """UI-1: letters that were typed stand out; a run that its id found shows it."""
    assert "<mark>warm</mark> start" in asked(signed_in, "WARM")
    found = asked(signed_in, "abc1")
    assert "vision / digits / <mark>abc1</mark>2345" in found
    assert "<mark>" not in asked(signed_in, "")
    assert "<script>" not in asked(signed_in, "<script>")


def test_actions_are_offered_to_who_is_signed_in(signed_in):
    """UI-1: what a person can begin from anywhere, by other words, too."""
    assert "Invite people" in asked(signed_in, "")
    assert 'href="/projects/ada/new"' in asked(signed_in, "create project")
    assert "data-night-mode" in asked(signed_in, "dark")
    assert "New API key" not in asked(Client(), "key")
