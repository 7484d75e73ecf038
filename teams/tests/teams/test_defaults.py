"""Where a person's runs go that name no entity: chosen over REST and on the page (protocol 4.8)."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from accounts.lifecycle.account_merge import merge_accounts
from accounts.models import User
from common.errors import Invalid
from teams.members.services import leave_team
from teams.models import Membership, Organization, Team
from teams.teams.default_team import choose_default_team
from teams.teams.selectors import default_team_of, personal_team_of
from teams.tests.visiting import as_user, organization, said, team, text_of
from tests.factories import (
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
    make_member,
)

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera(team: Team) -> User:
    return make_member(team, Preset.MEMBER, username="vera")


def choose(user: User, name: str) -> None:
    choose_default_team(actor=actor(user), user=user, name=name)


def default_of(user: User) -> str:
    found = default_team_of(actor(user))
    assert found is not None
    return found.name


def test_runs_go_to_one_s_own_entity_until_a_team_is_chosen(team: Team, vera: User):
    assert default_of(vera) == "vera"
    choose(vera, "vision")
    assert default_of(vera) == "vision"
    assert personal_team_of(actor(vera)) == Team.objects.get(name="vera")


def test_the_last_choice_counts(team: Team, organization: Organization, vera: User):
    other = TeamFactory(name="sound", organization=organization)
    Membership.objects.create(team=other, user=vera, role=vera.memberships.get(team=team).role)
    for name in ("vision", "sound"):
        choose(vera, name)
        assert default_of(vera) == name
    choose(vera, "")
    assert default_of(vera) == "vera"


@pytest.mark.parametrize("name", ["elsewhere", "nowhere"])
def test_a_foreign_team_is_refused_as_one_that_is_not_there(vera: User, name: str):
    TeamFactory(name="elsewhere")
    with pytest.raises(Invalid) as refused:
        choose(vera, name)
    assert refused.value.message == (
        f"You are not in a team named {name}. You can choose from: vera, vision."
    )


def test_a_person_has_one_default(vera: User):
    with pytest.raises(IntegrityError), transaction.atomic():
        Membership.objects.filter(user=vera).update(is_default=True)


def test_a_team_that_one_leaves_or_that_is_deleted_is_the_default_no_longer(team: Team, vera: User):
    choose(vera, "vision")
    Team.objects.filter(pk=team.pk).update(deleted_at=timezone.now())
    assert default_of(vera) == "vera"
    Team.objects.filter(pk=team.pk).update(deleted_at=None)
    assert default_of(vera) == "vision"
    leave_team(actor=actor(vera), team=team)
    assert default_of(vera) == "vera"


def test_a_service_account_chooses_none(team: Team):
    account = ServiceAccountFactory(team=team)
    with pytest.raises(Invalid):
        choose_default_team(actor=SYSTEM, user=account.user, name="vision")


def test_of_two_accounts_that_become_one_the_choice_of_the_one_that_stays_counts(
    team: Team, organization: Organization, vera: User
):
    other = make_member(TeamFactory(name="sound", organization=organization), username="vera2")
    choose(vera, "vision")
    choose(other, "sound")
    merge_accounts(actor=SYSTEM, source=other, target=vera, typed="vera2")
    assert default_of(vera) == "vision"


def test_rest_tells_and_changes_it(client: Any, vera: User):
    headers = {"Authorization": basic(make_key(vera))}

    def change(name: str) -> Any:
        body = {"default_entity": name}
        return client.patch("/api/v1/me/", body, content_type="application/json", headers=headers)

    assert change("vision").json()["default_entity"] == "vision"
    assert client.get("/api/v1/me/", headers=headers).json()["default_entity"] == "vision"
    refused = change("nowhere")
    assert refused.status_code == 400
    assert "You are not in a team named nowhere." in refused.content.decode()
    assert change("").json()["default_entity"] == "vera"


def test_the_page_offers_one_s_teams_and_stores_the_choice(as_user: Any, vera: User):
    """ACC-10."""
    assert '<option value="vision" >vision</option>' in text_of(as_user("vera", "/settings/teams"))
    answer = as_user("vera", "/settings/teams/default", {"default_team": "vision"})
    assert said(answer) == ["Runs that do not specify a team now go to vision."]
    assert '<option value="vision" selected>vision</option>' in text_of(as_user("vera", "/settings/teams"))
    answer = as_user("vera", "/settings/teams/default", {"default_team": "nowhere"})
    assert said(answer) == ["You are not in a team named nowhere. You can choose from: vera, vision."]


def test_who_is_in_no_team_is_offered_none(as_user: Any):
    UserFactory(username="lone")
    assert "Default team" not in text_of(as_user("lone", "/settings/teams"))
