"""One's own teams, making teams, privacy and settings (ACC-10, TEAM-2, TEAM-8), asked as a browser asks."""

import re
from typing import Any

import pytest

from access.actions import Preset
from access.actor import SYSTEM
from common.errors import DomainError
from runs.models import Project
from teams.invitations.services import invite
from teams.models import Membership, Organization, OrganizationMember, Team
from teams.roles.builtin import built_in
from teams.teams import privacy
from teams.tests.visiting import as_user, organization, place_of, said, team, text_of
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    TeamFactory,
    UserFactory,
    make_member,
)

__all__ = ["as_user", "organization", "team"]

pytestmark = pytest.mark.django_db


class TestMine:
    def test_lists_teams_and_organizations_with_the_role_held(self, team: Team, as_user: Any):
        """ACC-10."""
        make_member(team, Preset.VIEW_ONLY, username="vera")
        page = text_of(as_user("vera", "/settings/teams"))
        assert 'href="/teams/vision"' in page
        assert "View-only" in page
        assert 'href="/organizations/acme"' in page
        assert "2 members" in page

    def test_offers_new_teams_to_who_may_and_names_whom_to_ask_to_others(self, team: Team, as_user: Any):
        """TEAM-2."""
        make_member(team, username="bob")
        assert 'href="/teams/new"' in text_of(as_user("chief", "/settings/teams"))
        page = text_of(as_user("bob", "/settings/teams"))
        assert 'href="/teams/new"' not in page
        assert "Teams of acme are created by its admins. Ask one of them: chief." in page

    def test_answers_invitations_without_the_mail(self, team: Team, as_user: Any):
        """TEAM-3: who is known to be the invited needs no link."""
        UserFactory(username="bob")
        row = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), username="bob")
        assert "with the role Member" in text_of(as_user("bob", "/settings/teams"))
        assert as_user("bob", "/settings/teams/accept", {"invitation": row.pk}).status_code == 302
        assert place_of("bob").role == built_in(Preset.MEMBER)

    def test_declines_them(self, team: Team, as_user: Any):
        UserFactory(username="bob", email="bob@example.com")
        row = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="bob@example.com")
        as_user("bob", "/settings/teams/decline", {"invitation": row.pk})
        row.refresh_from_db()
        assert row.state == "declined"

    def test_answers_nobody_elses(self, team: Team, as_user: Any):
        UserFactory(username="mallory")
        row = invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email="bob@example.com")
        for act in ("accept", "decline"):
            response = as_user("mallory", f"/settings/teams/{act}", {"invitation": row.pk})
            assert said(response)[0].startswith("This invitation doesn’t exist")
        row.refresh_from_db()
        assert row.state == "pending"

    def test_lets_go_but_not_the_last_admin(self, team: Team, as_user: Any):
        """TEAM-5."""
        make_member(team, username="bob")
        as_user("bob", "/teams/vision/leave", {})
        assert not Membership.objects.filter(user__username="bob", team=team).exists()
        assert "You are its only admin" in text_of(as_user("ada", "/settings/teams"))
        assert "last admin of vision" in said(as_user("ada", "/teams/vision/leave", {}))[0]
        assert place_of("ada").role.preset == Preset.ADMIN


class TestMaking:
    def test_with_an_organization_along_the_way(self, as_user: Any):
        """TEAM-2, TEAM-12."""
        UserFactory(username="ada")
        data = {"name": "vision", "kind": "academic", "organization": "", "new_organization": "acme"}
        assert as_user("ada", "/teams/new", data).headers["Location"] == "/teams/vision/invite"
        team = Team.objects.get(name="vision")
        assert (str(team.organization), team.kind) == ("acme", "academic")
        assert OrganizationMember.objects.get(user__username="ada").role.preset == Preset.ORGANIZATION_ADMIN

    def test_a_refused_team_makes_no_organization_either(self, team: Team, as_user: Any):
        UserFactory(username="new-one")
        data = {"name": "vision", "kind": "work", "organization": "", "new_organization": "fresh"}
        response = as_user("new-one", "/teams/new", data)
        assert response.status_code == 422
        assert "“vision” is taken" in text_of(response)
        assert not Organization.objects.filter(name="fresh").exists()

    @pytest.mark.parametrize(
        ("new", "told"),
        [
            ("", "Choose an organization or enter a name for a new one"),
            ("swift", "need different names"),
            ("settings", "is reserved"),
        ],
    )
    def test_says_what_is_wrong_with_the_organization(self, as_user: Any, new: str, told: str):
        UserFactory(username="ada")
        data = {"name": "swift", "kind": "work", "organization": "", "new_organization": new}
        assert told in text_of(as_user("ada", "/teams/new", data))

    def test_in_an_organization_one_administers_and_in_no_other(
        self, organization: Organization, as_user: Any
    ):
        OrganizationFactory(name="other")
        data = {"name": "swift", "kind": "work", "organization": "acme"}
        as_user("chief", "/teams/new", {**data, "organization": "other"})
        assert not Team.objects.filter(name="swift").exists()
        as_user("chief", "/teams/new", data)
        assert str(Team.objects.get(name="swift").organization) == "acme"

    def test_who_may_not_is_told_whom_to_ask(self, team: Team, as_user: Any):
        make_member(team, username="bob")
        page = text_of(as_user("bob", "/teams/new", {"name": "swift", "kind": "work"}))
        assert "Ask one of them: chief" in page
        assert not Team.objects.filter(name="swift").exists()

    @pytest.mark.parametrize(
        ("name", "told"),
        [("vision", "is taken"), ("VISION", "is taken"), ("new", "is reserved"), ("a b", "isn’t a valid name"),
         ("fine", "“fine” is free")],
    )  # fmt: skip
    def test_names_are_checked_while_typed(self, team: Team, as_user: Any, name: str, told: str):
        assert told in text_of(as_user("ada", f"/teams/new/name?name={name}"))

    def test_of_an_organization_alone(self, as_user: Any):
        UserFactory(username="ada")
        response = as_user("ada", "/organizations/new", {"name": "acme"})
        assert response.headers["Location"] == "/organizations/acme/teams"
        assert as_user("ada", "/organizations/new", {"name": "acme"}).status_code == 422


class TestPrivacy:
    def test_is_turned_by_organization_admins(self, team: Team, as_user: Any):
        """TEAM-8."""
        as_user("chief", "/teams/vision/privacy", {"members_may_invite": "on", "code_saving_default": "on"})
        team.refresh_from_db()
        assert team.members_may_invite
        assert team.code_saving_default
        assert not team.public_projects_allowed

    def test_an_organization_decides_for_all_its_teams(self, team: Team, as_user: Any):
        """TEAM-8: also for those that come later, and the team's page says who decides."""
        as_user("chief", "/organizations/acme/privacy", {"public_projects_allowed": "off", "is_hidden": "on"})
        late = TeamFactory(organization=team.organization)
        for each in Team.objects.filter(pk__in=[team.pk, late.pk]):
            assert (each.public_projects_allowed, each.is_hidden) == (False, True)
        assert "Set by acme for all its teams" in text_of(as_user("chief", "/teams/vision/privacy"))
        as_user("chief", "/teams/vision/privacy", {"public_projects_allowed": "on", "is_hidden": ""})
        team.refresh_from_db()
        assert not team.public_projects_allowed
        with pytest.raises(DomainError, match="acme sets"):
            privacy.set_privacy(actor=SYSTEM, team=team, values={"public_projects_allowed": True})
        as_user("chief", "/organizations/acme/privacy", {"public_projects_allowed": "", "is_hidden": ""})
        privacy.set_privacy(actor=SYSTEM, team=team, values={"public_projects_allowed": True})

    def test_public_projects_are_listed_and_closed(self, team: Team, as_user: Any):
        """TEAM-8."""
        rows = [
            ProjectFactory(team=team, visibility=each) for each in ("public", "open", "public", "restricted")
        ]
        elsewhere = ProjectFactory(visibility="public")
        assert rows[0].name in text_of(as_user("chief", "/teams/vision/privacy"))
        as_user("chief", "/teams/vision/privacy/close", {"project": rows[0].pk})
        as_user("chief", "/teams/vision/privacy/close", {"project": elsewhere.pk})
        as_user("chief", "/teams/vision/privacy/close", {})
        assert Project.objects.filter(visibility__in=["public", "open"]).count() == 3
        as_user("chief", "/organizations/acme/privacy/close", {"all": "on"})
        assert list(Project.objects.filter(visibility__in=["public", "open"])) == [elsewhere]
        assert Project.objects.get(pk=rows[3].pk).visibility == "restricted"

    def test_a_hidden_team_is_found_by_its_members_only(self, team: Team, as_user: Any):
        """TEAM-8: public projects stay open by their links."""
        ProjectFactory(team=team, name="shared", visibility="public")
        UserFactory(username="stranger")
        for hidden, status in ((False, 200), (True, 404)):
            privacy.set_privacy(actor=SYSTEM, team=team, values={"is_hidden": hidden})
            assert as_user("stranger", "/vision").status_code == status
            found = 'href="/vision"' in text_of(as_user("stranger", "/search?q=vision"))
            assert found is not hidden
            assert as_user("stranger", "/vision/shared/overview").status_code == 200
            assert as_user("ada", "/vision").status_code == 200


class TestSettings:
    def test_of_a_team(self, team: Team, as_user: Any):
        assert "cannot be changed" in text_of(as_user("ada", "/teams/vision/settings"))
        as_user("ada", "/teams/vision/settings", {"kind": "academic", "project_visibility": "team"})
        as_user("ada", "/teams/vision/profile", {"display_name": "Seeing", "bio": "We look."})
        team.refresh_from_db()
        assert (team.display_name, team.kind, team.name) == ("Seeing", "academic", "vision")
        assert as_user("ada", "/teams/vision/settings", {"kind": "personal"}).status_code == 422

    def test_of_an_organization(self, organization: Organization, as_user: Any):
        settings, profile = (f"/organizations/acme/{name}" for name in ("settings", "profile"))
        as_user("chief", settings, {"api_keys_allowed": "on", "api_key_max_days": "30"})
        as_user("chief", profile, {"display_name": "Acme"})
        organization.refresh_from_db()
        assert (organization.display_name, organization.api_key_max_days) == ("Acme", 30)
        assert as_user("chief", settings, {"api_key_max_days": "0"}).status_code == 422
        assert as_user("chief", profile, {"display_name": "A" * 121}).status_code == 422

    @pytest.mark.parametrize(
        ("path", "section", "end"),
        [
            ("/settings/profile", "Profile", "/settings/delete"),
            ("/teams/vision/settings", "General", "/teams/vision/delete"),
            ("/organizations/acme/settings", "General", "/organizations/acme/delete"),
        ],
    )
    def test_are_called_alike_everywhere(self, team: Team, as_user: Any, path: str, section: str, end: str):
        """ACC-2: one's own, a team's and an organization's, from the profile to the end of it all."""
        page = text_of(as_user("chief", path))
        rail = page.split("rail-settings")[1].split("</nav>")[0]
        assert section in re.findall(r"</svg> ?([^<]+)</a>", rail)
        assert end not in rail
        assert f'href="{end}"' in page
        assert 'name="display_name"' in page
        assert "Update avatar" in page

    def test_say_where_they_are(self, team: Team, as_user: Any):
        """UI-1: one name, one place."""
        for path, crumbs in (
            ("/settings/api-keys", ["chief", "Settings", "API keys"]),
            ("/teams/vision/settings", ["acme", "vision", "Settings", "General"]),
            ("/teams/vision/invite", ["acme", "vision", "Settings", "Members"]),
            ("/organizations/acme/roles", ["acme", "Settings", "Roles"]),
        ):
            page = text_of(as_user("chief", path))
            found = page.split('class="crumbs"')[1].split("</nav>")[0]
            assert re.findall(r"<(?:a|span)[^>]*>([^<]+)</", found) == crumbs

    def test_profiles_lead_to_general(self, team: Team, as_user: Any):
        answer = as_user("chief", "/teams/vision/profile")
        assert answer.headers["Location"] == "/teams/vision/settings"
        answer = as_user("chief", "/organizations/acme/profile")
        assert answer.headers["Location"] == "/organizations/acme/settings"

    def test_a_personal_entity_has_no_team_pages(self, as_user: Any):
        UserFactory(username="ada")
        assert as_user("ada", "/teams/ada").status_code == 404
