"""SCIM 2.0 as its specification, Okta and Microsoft Entra ask for it (semantics, sections 2 and 3).

Requests in the style of the two are written from their public documentation; the data is made up here.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import SignInProvider, User
from teams.access import OrganizationAction
from teams.models import Membership, Organization, OrganizationMember, Team
from teams.roles.builtin import built_in
from teams.service_accounts.services import change_service_account
from tests.factories import (
    OrganizationFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    basic,
    make_key,
    make_member,
)
from tests.scim import GROUP, PLACE, USER, Provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def organization() -> Organization:
    return OrganizationFactory(name="acme", admin=UserFactory(username="chief"))


@pytest.fixture
def key(organization: Organization) -> str:
    return make_key(User.objects.get(username="chief"))


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """Keep the test's connection when a request ends, as Django's own test client does."""
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.fixture
def provider(key: str) -> Provider:
    return Provider(key)


def _place(username: str) -> OrganizationMember | None:
    return OrganizationMember.objects.filter(user__username=username, organization__name="acme").first()


class TestStandard:
    @pytest.mark.exhaustive("try SCIM by another's checks")
    def test_every_check_of_the_compliance_tester_succeeds(self, key: str, kept_connection: None):
        """RFC 7643 and 7644, by a client and checks that are not ours."""
        # their import takes a third of the time in which all tests are collected
        from scim2_client.engines.wsgi import WSGISCIMClient
        from scim2_tester import Status, check_server

        client = WSGISCIMClient(
            get_wsgi_application(),
            base_url="http://testserver/scim/v2/acme",
            headers={"Authorization": f"Bearer {key}"},
        )
        results = check_server(client)
        failed = [f"{one.title}: {one.reason}" for one in results if one.status is not Status.SUCCESS]
        assert not failed, "\n".join(failed)
        assert len(results) > 40


class TestUsers:
    def test_a_new_address_makes_an_account_without_a_password(self, provider: Provider):
        """Semantics section 3: SCIM by a Bearer key. Who made it is in the organization's audit log."""
        told = provider.make(
            "Bob.Ross@example.com", externalId="00u1", name={"givenName": "Bob", "familyName": "Ross"}
        )
        user = User.objects.get(pk=int(told["id"]))
        assert (user.username, user.email, user.display_name) == (
            "Bob.Ross",
            "bob.ross@example.com",
            "Bob Ross",
        )
        assert not user.has_usable_password()
        assert told["active"] is True
        place = _place("Bob.Ross")
        assert place is not None
        assert place.role.preset == Preset.ORGANIZATION_MEMBER
        entry = AuditEntry.objects.get(
            action="organization.add_member", organization_id=place.organization_id
        )
        assert entry.actor_name == "chief"

    def test_an_account_with_the_verified_address_joins(self, provider: Provider, settings: Any):
        """What somebody is called and how they sign in stays theirs."""
        settings.SIGNUP = "invitation"
        ann = UserFactory(username="ann", email="ann@example.com")
        told = provider.make("ann@example.com", displayName="Somebody Else")
        assert told["id"] == str(ann.pk)
        ann.refresh_from_db()
        assert ann.display_name == ""
        assert _place("ann")

    def test_where_sign_up_is_open_nobody_joins_unasked(self, provider: Provider, organization: Organization):
        """TEAM-3: but for the domains of a provider that an operator has linked to the organization."""
        UserFactory(username="ann", email="ann@example.com")
        user = {"schemas": [USER], "userName": "ann@example.com"}
        status, told = provider.ask("POST", "Users", user)
        assert (status, "invite them" in told["detail"]) == (409, True)
        linked = SignInProvider.objects.create(
            name="Acme", slug="acme", issuer="https://id.example.com", organization=organization.claim
        )
        assert provider.ask("POST", "Users", user)[0] == 409
        SignInProvider.objects.filter(pk=linked.pk).update(email_domains="example.com")
        assert provider.make("ann@example.com")["active"] is True

    def test_the_same_user_twice_is_a_conflict(self, provider: Provider):
        provider.make("bob@example.com")
        status, told = provider.ask("POST", "Users", {"schemas": [USER], "userName": "BOB@example.com"})
        assert (status, told["scimType"]) == (409, "uniqueness")
        assert told["schemas"] == ["urn:ietf:params:scim:api:messages:2.0:Error"]

    def test_okta_finds_makes_changes_and_switches_off(self, provider: Provider):
        """Okta: look for the name, create, PUT the whole user, PATCH without a path; it never deletes."""
        assert provider.find("Users", 'userName eq "isaac@example.com"') == []
        made = provider.make(
            "isaac@example.com", name={"givenName": "Isaac", "familyName": "Brock"}, externalId="00ujl29u0le5T6Aj10h7",
            locale="en-US", groups=[], active=True, password="1mz050nq",
        )  # fmt: skip
        assert "password" not in made
        (found,) = provider.find("Users", 'userName eq "ISAAC@example.com"')
        assert found["id"] == made["id"]
        status, told = provider.ask("PUT", f"Users/{made['id']}", {**made, "displayName": "Isaac B."})
        assert (status, told["displayName"]) == (200, "Isaac B.")
        status, told = provider.patch(f"Users/{made['id']}", {"op": "replace", "value": {"active": False}})
        assert (status, told["active"]) == (200, False)
        assert _place("isaac") is None
        assert not User.objects.get(username="isaac").is_active
        status, told = provider.patch(f"Users/{made['id']}", {"op": "replace", "value": {"active": True}})
        assert (status, told["active"]) == (200, True)
        assert User.objects.get(username="isaac").is_active
        assert _place("isaac")

    def test_entra_sends_texts_for_booleans_and_paths_for_keys(self, provider: Provider):
        """Microsoft Entra: capital operations, "False", dotted keys, filters in paths, attributes we do not keep."""
        enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
        made = provider.make(
            "mia@example.com", active="True", title="Engineer", schemas=[USER, enterprise],
            **{enterprise: {"department": "Vision"}},
        )  # fmt: skip
        status, told = provider.patch(
            f"Users/{made['id']}",
            {"op": "Add", "path": "name.givenName", "value": "Mia"},
            {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "mia@example.com"},
            {"op": "Replace", "value": {"name.familyName": "Moor", "displayName": "Mia Moor"}},
            {"op": "Add", "path": f"{enterprise}:department", "value": "Speech"},
        )
        assert status == 200, told
        assert told["name"] == {"givenName": "Mia", "familyName": "Moor"}
        status, told = provider.patch(
            f"Users/{made['id']}", {"op": "Replace", "path": "active", "value": "False"}
        )
        assert (status, told["active"]) == (200, False)
        assert _place("mia") is None

    def test_an_address_is_changed_by_its_owner_alone(self, provider: Provider):
        """Or who manages the organization could take the account over by a reset mail."""
        made = provider.make()
        operation = {"op": "replace", "path": 'emails[type eq "work"].value', "value": "evil@example.com"}
        status, told = provider.patch(f"Users/{made['id']}", operation)
        assert (status, told["scimType"]) == (400, "mutability")
        provider.ask("PUT", f"Users/{made['id']}", {**made, "emails": [{"value": "evil@example.com"}]})
        assert User.objects.get(pk=int(made["id"])).email == "bob@example.com"

    def test_what_a_provider_does_not_send_stays(self, provider: Provider):
        """A whole user or group without an attribute says nothing about it; null or an empty list empties it."""
        more: dict[str, Any] = {
            "displayName": "Bob", "externalId": "x-1", "name": {"givenName": "Bob", "familyName": "Ross"},
            PLACE: {"organizationRole": "viewer", "modelsAccess": "view_only"},
        }  # fmt: skip
        made = provider.make(**more)
        provider.patch(f"Users/{made['id']}", {"op": "replace", "path": "active", "value": False})
        only = {"schemas": [USER], "userName": made["userName"], "emails": made["emails"]}
        status, kept = provider.ask("PUT", f"Users/{made['id']}", only)
        assert status == 200, kept
        told = (kept["displayName"], kept["externalId"], kept["name"]["familyName"], kept["active"])
        assert told == ("Bob", "x-1", "Ross", False)
        provider.ask("PUT", f"Users/{made['id']}", {**only, "active": True})
        place = _place("bob")
        assert place is not None
        assert (place.role.preset, place.models_access) == (Preset.ORGANIZATION_VIEWER, "view_only")
        _status, group = provider.ask(
            "POST",
            "Groups",
            {"schemas": [GROUP], "displayName": "painters", "members": [{"value": made["id"]}]},
        )
        _status, renamed = provider.ask(
            "PUT", f"Groups/{group['id']}", {"schemas": [GROUP], "displayName": "landscapes"}
        )
        assert [member["value"] for member in renamed["members"]] == [made["id"]]
        _status, emptied = provider.ask(
            "PUT", f"Groups/{group['id']}", {"schemas": [GROUP], "displayName": "landscapes", "members": []}
        )
        assert not emptied.get("members")

    def test_role_and_access_come_by_the_extension(self, provider: Provider):
        """TEAM-1: organization role and product access. What the provider never said, it does not reset."""
        made = provider.make(
            "bob@example.com", **{PLACE: {"organizationRole": "viewer", "modelsAccess": "view_only"}}
        )
        place = _place("bob")
        assert place is not None
        assert (place.role.preset, place.models_access) == (Preset.ORGANIZATION_VIEWER, "view_only")
        bob = make_member(
            TeamFactory(organization=place.organization), Preset.ORGANIZATION_ADMIN, username="kim"
        )
        (kim,) = provider.find("Users", 'userName eq "kim"')
        provider.ask(
            "PUT", f"Users/{kim['id']}", {"schemas": [USER], "userName": "kim", "emails": kim["emails"]}
        )
        assert OrganizationMember.objects.get(user=bob).role.preset == Preset.ORGANIZATION_ADMIN
        status, told = provider.patch(
            f"Users/{made['id']}", {"op": "replace", "path": f"{PLACE}:organizationRole", "value": "king"}
        )
        assert (status, told["scimType"]) == (400, "invalidValue")

    def test_the_last_admin_stays(self, provider: Provider):
        """Semantics section 2: refuse that, in plain words and in SCIM's shape."""
        (chief,) = provider.find("Users", 'userName eq "chief"')
        for method, body in (("DELETE", None), ("PATCH", {"op": "replace", "value": {"active": False}})):
            if body is None:
                status, told = provider.ask(method, f"Users/{chief['id']}")
            else:
                status, told = provider.patch(f"Users/{chief['id']}", body)
            assert status == 409
            assert "last admin" in told["detail"]
        assert _place("chief")

    def test_deleting_switches_off_an_account_that_scim_made_and_no_other(
        self, provider: Provider, settings: Any
    ):
        """An account that belongs elsewhere, or was there before, is its owner's."""
        settings.SIGNUP = "invitation"
        made = provider.make("made@example.com")
        UserFactory(username="own", email="own@example.com")
        own = provider.make("own@example.com")
        elsewhere = provider.make("elsewhere@example.com")
        other = OrganizationFactory(name="other")
        OrganizationMember.objects.create(
            organization=other, user_id=int(elsewhere["id"]), role=built_in(Preset.ORGANIZATION_MEMBER)
        )
        for one in (made, own, elsewhere):
            assert provider.ask("DELETE", f"Users/{one['id']}") == (204, None)
            assert provider.ask("GET", f"Users/{one['id']}")[0] == 404
        states = dict(User.objects.values_list("username", "is_active"))
        assert (states["made"], states["own"], states["elsewhere"]) == (False, True, True)
        assert provider.make("made@example.com")["id"] == made["id"]
        assert User.objects.get(username="made").is_active

    @pytest.mark.parametrize(
        ("wanted", "names"),
        [
            ('userName eq "ann@example.com"', {"ann@example.com"}),
            ('userName sw "A" and active eq true', {"ann@example.com"}),
            ('not (userName co "example")', {"chief"}),
            ('emails[type eq "work" and value eq "BOB@example.com"]', {"bob@example.com"}),
            ('externalId eq "x1" or displayName ew "Ross"', {"ann@example.com", "bob@example.com"}),
            ("externalId pr", {"ann@example.com"}),
            ('name.familyName eq "ross"', {"bob@example.com"}),
            ('meta.lastModified gt "2100-01-01T00:00:00Z"', set()),
        ],
    )
    def test_filters(self, provider: Provider, wanted: str, names: set[str]):
        """RFC 7644, 3.4.2.2."""
        provider.make("ann@example.com", externalId="x1")
        provider.make("bob@example.com", displayName="Bob Ross", name={"familyName": "Ross"})
        assert {one["userName"] for one in provider.find("Users", wanted)} == names

    @pytest.mark.parametrize(
        "wanted", ["userName", "userName xx 1", "shoeSize eq 3", "(" * 50, "active co true"]
    )
    def test_a_filter_that_makes_no_sense_is_named_so(self, provider: Provider, wanted: str):
        status, told = provider.ask("GET", f"Users?filter={quote(wanted)}")
        assert (status, told["scimType"]) == (400, "invalidFilter")

    def test_lists_are_paged_with_as_many_queries_for_many(
        self, provider: Provider, django_assert_max_num_queries: Any
    ):
        """RFC 7644, 3.4.2.4."""
        provider.make("u0@example.com")
        with django_assert_max_num_queries(40) as few:
            provider.ask("GET", "Users")
        count = len(few)
        for number in range(1, 5):
            provider.make(f"u{number}@example.com")
        with django_assert_max_num_queries(count):
            _status, told = provider.ask("GET", "Users?startIndex=2&count=3")
        assert (told["totalResults"], told["startIndex"], told["itemsPerPage"]) == (6, 2, 3)
        assert len(provider.ask("GET", "Users?startIndex=6&count=3")[1]["Resources"]) == 1


class TestGroups:
    def test_is_a_team_whose_people_come_and_go(self, provider: Provider, organization: Organization):
        """Entra adds and removes single members; Okta replaces them all. The first admin is left alone."""
        ann, bob = provider.make("ann@example.com"), provider.make("bob@example.com")
        status, made = provider.ask(
            "POST", "Groups", {"schemas": [GROUP], "displayName": "Vision Lab", "externalId": "g1"}
        )
        assert status == 201, made
        team = Team.objects.get(pk=int(made["id"]))
        assert (team.name, team.display_name, team.organization) == ("Vision-Lab", "Vision Lab", organization)
        path = f"Groups/{team.pk}"
        status, told = provider.patch(path, {"op": "Add", "path": "members", "value": [{"value": ann["id"]}]})
        assert [one["value"] for one in told["members"]] == [ann["id"]]
        provider.patch(
            path, {"op": "replace", "path": "members", "value": [{"value": ann["id"]}, {"value": bob["id"]}]}
        )
        roles = dict(team.memberships.values_list("user__username", "role__preset"))
        assert roles == {"chief": Preset.ADMIN, "ann": Preset.MEMBER, "bob": Preset.MEMBER}
        provider.patch(path, {"op": "remove", "path": f'members[value eq "{ann["id"]}"]'})
        provider.patch(path, {"op": "Remove", "path": "members", "value": [{"value": bob["id"]}]})
        assert set(team.memberships.values_list("user__username", flat=True)) == {"chief"}

    def test_is_called_otherwise_while_its_name_stays(self, provider: Provider, organization: Organization):
        """Names in addresses and scripts never change."""
        team = TeamFactory(name="vision", organization=organization)
        (found,) = provider.find("Groups", 'displayName eq "vision"')
        status, told = provider.patch(
            f"Groups/{found['id']}", {"op": "replace", "value": {"displayName": "Sight"}}
        )
        assert (status, told["displayName"]) == (200, "Sight")
        team.refresh_from_db()
        assert (team.name, team.display_name) == ("vision", "Sight")

    def test_takes_nobody_from_outside_the_organization(self, provider: Provider, organization: Organization):
        team = TeamFactory(name="vision", organization=organization)
        stranger = UserFactory()
        operation = {"op": "add", "path": "members", "value": [{"value": str(stranger.pk)}]}
        assert provider.patch(f"Groups/{team.pk}", operation)[0] == 400
        assert not Membership.objects.filter(team=team, user=stranger).exists()

    def test_is_deleted_as_by_hand(self, provider: Provider, organization: Organization):
        team = TeamFactory(name="vision", organization=organization)
        assert provider.ask("DELETE", f"Groups/{team.pk}") == (204, None)
        assert provider.find("Groups", 'displayName eq "vision"') == []
        team.refresh_from_db()
        assert team.deleted_at is not None


class TestAccess:
    def test_who_may_not_manage_members_hears_no_more_than_elsewhere(self, organization: Organization):
        """TEAM-21: 404 for strangers, 403 for members, 401 without a key, for users and groups alike."""
        member = make_member(TeamFactory(organization=organization))
        for who, status in ((make_key(UserFactory()), 404), (make_key(member), 403), ("ry-" + "x" * 40, 401)):
            for path in ("Users", "Groups", "ServiceProviderConfig", "nothing"):
                assert Provider(who).ask("GET", path)[0] == status

    def test_a_session_is_never_looked_at(self, organization: Organization):
        """So that no other site's page can use it."""
        client = Client(enforce_csrf_checks=True)
        client.force_login(User.objects.get(username="chief"))
        assert client.get("/scim/v2/acme/Users").status_code == 401
        assert client.post("/scim/v2/acme/Users", "{}", content_type="application/json").status_code == 401

    def test_a_limited_key_needs_the_action(self, organization: Organization):
        """The narrowest key: of an admin, limited to managing members."""
        chief = User.objects.get(username="chief")
        enough = make_key(chief, scopes=[OrganizationAction.MANAGE_MEMBERS])
        assert Provider(enough).ask("GET", "Users")[0] == 200
        assert Provider(make_key(chief, scopes=["run.view"])).ask("GET", "Users")[0] == 404
        assert Provider(enough).ask("POST", "Groups", {"schemas": [GROUP], "displayName": "x"})[0] == 404

    def test_a_service_account_whose_role_has_the_action_may(self, organization: Organization):
        """TEAM-33: an organization's service account, once it is the organization's admin."""
        account = ServiceAccountFactory(organization=organization, label="scim")
        key = make_key(account.user)
        assert Provider(key).ask("GET", "Users")[0] == 404
        role = built_in(Preset.ORGANIZATION_ADMIN)
        change_service_account(actor=SYSTEM, account=account, role=role)
        assert Provider(key).make("bob@example.com")["active"] is True

    def test_another_organizations_people_are_not_there(self, provider: Provider):
        other = OrganizationFactory(name="other")
        stranger = other.members.get().user
        assert provider.ask("GET", f"Users/{stranger.pk}")[0] == 404
        assert provider.ask("DELETE", f"Users/{stranger.pk}")[0] == 404
        assert provider.find("Users", f'userName eq "{stranger.username}"') == []

    @pytest.mark.parametrize(
        "body", ["", "[]", "{", "[" * 2000, '{"a":' * 600 + "1" + "}" * 600, '{"userName": "\\u0000"}']
    )
    def test_what_is_no_user_is_refused(self, key: str, body: str):
        response = Client().post(
            "/scim/v2/acme/Users",
            body,
            content_type="application/scim+json",
            headers={"Authorization": basic(key)},
        )
        assert response.status_code == 400
        assert response.json()["status"] == "400"
