"""BIL-3: what a plan includes is what an organization has, and who is refused is told why and whom to ask."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from automations.firing.plan import with_plan
from automations.models import Automation
from billing.models import BillingAdmin, Plan
from common.errors import Conflict, Forbidden
from teams.members.services import add_member
from teams.models import GroupMapping, Membership, Organization, OrganizationMember, Team
from teams.plan_policy import has_feature, organizations_with
from teams.roles.builtin import built_in
from teams.roles.custom import RoleFields, create_role
from teams.service_accounts.services import create_service_account
from teams.sso_groups.services import join_teams_of_groups
from tests.factories import OrganizationFactory, TeamFactory, UserFactory, basic, make_key
from tests.plans import offer_plans, put_on

pytestmark = pytest.mark.django_db
FEATURES = (
    "custom_roles", "view_only_role", "service_accounts", "automations", "sso", "audit_log", "usage_alerts",
    "many_billing_admins",
)  # fmt: skip


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def organization(ada: User) -> Organization:
    return OrganizationFactory(name="acme", admin=ada)


@pytest.fixture
def team(organization: Organization, ada: User) -> Team:
    return TeamFactory(name="lab", organization=organization, admin=ada)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_switch_of_the_plan_decides(organization: Organization, feature: str):
    """BIL-3: Self-hosted has everything on; a plan without the switch has not."""
    assert organization.subscription.plan.key == "self-hosted"
    assert has_feature(organization, feature)
    terms: dict[str, Any] = {f"has_{feature}": False}
    put_on(organization, **terms)
    assert not has_feature(organization, feature)
    assert all(has_feature(organization, other) for other in FEATURES if other != feature)


def test_an_operator_flips_a_switch_for_all_on_the_plan(organization: Organization):
    """BIL-3: plans are data."""
    Plan.objects.filter(key="self-hosted").update(has_sso=False)
    assert not has_feature(organization, "sso")


def test_one_answer_costs_a_query_and_so_do_a_hundred(organization: Organization, django_assert_num_queries):
    """BIL-3: a list of organizations costs no query each."""
    others = [OrganizationFactory() for _ in range(5)]
    put_on(others[0], has_automations=False)
    with django_assert_num_queries(1):
        has_feature(organization, "automations")
    with django_assert_num_queries(1):
        found = organizations_with([row.pk for row in others], "automations")
    assert found == {row.pk for row in others[1:]}


def test_automations_of_many_organizations_are_asked_about_at_once(django_assert_num_queries):
    """ALR-4, BIL-3: those of a plan without automations are silent."""
    teams = [TeamFactory() for _ in range(4)]
    assert teams[0].organization is not None
    put_on(teams[0].organization, has_automations=False)
    for team in teams:
        Automation.objects.create(team=team, name="watch", event="RUN_STATE", action="NO_OP")
    with django_assert_num_queries(2):
        kept = with_plan(Automation.objects.select_related("team"))
    assert {row.team_id for row in kept} == {team.pk for team in teams[1:]}


@pytest.mark.parametrize("who", ["billing admin", "nobody"])
def test_a_refusal_names_the_plan_and_who_changes_it(organization: Organization, who: str, settings):
    """BIL-3: the words say what is missing, on which plan, and whom to ask."""
    put_on(organization, name="Small", has_service_accounts=False, has_custom_roles=False)
    settings.SUPPORT_CONTACT = "help@example.com"
    if who == "nobody":
        BillingAdmin.objects.all().delete()
    with pytest.raises(Forbidden) as refused:
        create_service_account(actor=SYSTEM, organization=organization, label="bot")
    ask = "Usage admins of acme can change the plan: ada."
    assert refused.value.message == (
        "The plan of acme does not include service accounts. acme has the plan Small. "
        + (ask if who == "billing admin" else "acme has no usage admin; ask help@example.com.")
    )
    with pytest.raises(Conflict, match=r"does not include custom roles\. acme has the plan Small"):
        create_role(
            actor=SYSTEM,
            organization=organization,
            fields=RoleFields("Labeler", Preset.VIEW_ONLY, frozenset()),
        )


def test_the_view_only_role_is_given_where_the_plan_has_it(team: Team):
    """BIL-3: who holds it keeps it when the plan loses it; nobody new gets it."""
    role, first = built_in(Preset.VIEW_ONLY), UserFactory()
    add_member(actor=SYSTEM, team=team, user=first, role=role)
    assert team.organization is not None
    put_on(team.organization, name="Small", has_view_only_role=False)
    with pytest.raises(Conflict, match="has the plan Small"):
        add_member(actor=SYSTEM, team=team, user=UserFactory(), role=role)
    assert Membership.objects.get(team=team, user=first).role == role


class TestAuditLog:
    """BIL-3, BIL-11: written down in any case, read where the plan includes it."""

    @pytest.fixture(autouse=True)
    def plan(self, organization: Organization) -> None:
        put_on(organization, name="Small", has_audit_log=False)

    def test_the_page_explains(self, client: Client, ada: User):
        client.force_login(ada)
        answer = client.get(reverse("teams:organization_audit", args=["acme"]))
        assert answer.status_code == 200
        text = answer.content.decode()
        assert "The plan does not include the audit log" in text
        assert "acme has the plan Small" in text
        assert "organization.create" not in text

    def test_the_download_is_refused(self, client: Client, ada: User):
        client.force_login(ada)
        answer = client.get(
            reverse("teams:organization_audit_export", args=["acme"]), headers={"accept": "text/html"}
        )
        assert answer.status_code == 403
        assert "does not include the audit log" in answer.content.decode()

    def test_rest_tells_of_other_organizations_only(self, client: Client, ada: User):
        other = OrganizationFactory(name="other", admin=ada)
        key = basic(make_key(ada))
        told = client.get("/api/v1/audit/", headers={"authorization": key}).json()
        assert {row["organization"] for row in told["results"]} == {other.name}
        answer = client.get("/api/v1/audit/?organization=acme", headers={"authorization": key})
        assert answer.status_code == 403
        assert "acme has the plan Small" in answer.json()["error"]["message"]

    def test_what_was_done_meanwhile_is_there_again(
        self, client: Client, ada: User, organization: Organization
    ):
        TeamFactory(name="made-meanwhile", organization=organization, admin=ada)
        put_on(organization)
        client.force_login(ada)
        text = client.get(reverse("teams:organization_audit", args=["acme"])).content.decode()
        assert "made-meanwhile" in text

    def test_operators_read_everything(self, client: Client):
        client.force_login(UserFactory(is_operator=True))
        assert "acme" in client.get(reverse("teams:audit")).content.decode()


class TestSso:
    """BIL-3, ACC-21: teams by groups and SCIM, where the plan includes them."""

    @pytest.fixture
    def mapping(self, team: Team) -> GroupMapping:
        return GroupMapping.objects.create(
            provider="okta", group="ml", team=team, role=built_in(Preset.MEMBER)
        )

    def test_groups_bring_nobody_in_but_take_out(
        self, team: Team, mapping: GroupMapping, organization: Organization
    ):
        old, new = UserFactory(), UserFactory()
        join_teams_of_groups(old, "okta", frozenset({"ml"}))
        put_on(organization, has_sso=False)
        join_teams_of_groups(new, "okta", frozenset({"ml"}))
        assert set(Membership.objects.filter(team=team).values_list("user__username", flat=True)) == {
            "ada",
            old.username,
        }
        join_teams_of_groups(old, "okta", frozenset())
        assert not Membership.objects.filter(team=team, user=old).exists()

    def _scim(self, client: Client, ada: User, method: str, path: str, body: object = None):
        return client.generic(
            method, f"/scim/v2/acme/{path}", "" if body is None else json.dumps(body),
            content_type="application/scim+json", headers={"authorization": basic(make_key(ada))},
        )  # fmt: skip

    def test_scim_makes_nobody_but_switches_off(self, client: Client, ada: User, organization: Organization):
        made = self._scim(client, ada, "POST", "Users", {"userName": "eve@example.com"})
        assert made.status_code == 201, made.content
        put_on(organization, name="Small", has_sso=False)
        refused = self._scim(client, ada, "POST", "Users", {"userName": "mallory@example.com"})
        assert refused.status_code == 403
        assert "does not include SCIM. acme has the plan Small" in refused.json()["detail"]
        pk = made.json()["id"]
        assert self._scim(client, ada, "GET", "Users").status_code == 200
        patch: dict[str, Any] = {"Operations": [{"op": "replace", "path": "active", "value": False}]}
        patch["schemas"] = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"]
        assert self._scim(client, ada, "PATCH", f"Users/{pk}", patch).status_code == 200
        assert not OrganizationMember.objects.filter(organization=organization, user=pk).exists()
        assert self._scim(client, ada, "DELETE", f"Users/{pk}").status_code == 204


def about_roles(client: Client, ada: User) -> str:
    client.force_login(ada)
    return client.get(reverse("teams:organization_roles", args=["acme"])).content.decode()


def test_pages_of_what_is_missing_say_so(client: Client, ada: User, team: Team):
    """BIL-3: no page of a missing feature is an error; each names the plan."""
    assert team.organization is not None
    put_on(
        team.organization,
        name="Small",
        has_custom_roles=False,
        has_service_accounts=False,
        has_automations=False,
    )
    assert "Compare plans" not in about_roles(client, ada)  # nothing is on offer
    offer_plans()
    for route, args in (
        ("teams:organization_roles", ["acme"]), ("teams:organization_service_accounts", ["acme"]),
        ("teams:service_accounts", ["lab"]), ("automations:team_automations", ["lab"]),
    ):  # fmt: skip
        text = client.get(reverse(route, args=args)).content.decode()
        assert "acme has the plan Small" in text, route
        assert reverse("billing:plans", args=["acme"]) in text, route
