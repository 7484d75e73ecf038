"""BIL-9: who looks after an organization's billing; one at a time or several, and never nobody by choice."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections

from access.actions import Preset
from access.actor import SYSTEM
from access.engine import can
from access.models import AuditEntry
from accounts.lifecycle.account_merge import merge_accounts, plan_merge
from accounts.lifecycle.deletion import delete_account, obstacles_of
from accounts.lifecycle.services import set_active
from accounts.models import User
from billing.billing_admins import services as admins
from billing.billing_admins.selectors import (
    billing_admin_list,
    billing_admins_of,
    billing_recipients,
    people_of,
)
from billing.models import BillingAdmin, Invoice, InvoiceKind, Plan, Subscription
from billing.subscriptions.selectors import subscription_of, teams_of
from common.errors import Conflict, Forbidden, NotFound
from teams.members.people import MemberFilter
from teams.models import Organization, OrganizationMember
from teams.organizations import services as organizations
from teams.roles.builtin import built_in
from teams.teams import deletion
from teams.teams.services import create_team
from tests.factories import OrganizationFactory, UserFactory, actor, delivered
from tests.plans import offer_plans
from tests.waiting import PATIENCE_S
from usage.access import BillingAction

pytestmark = pytest.mark.django_db


def join(organization: Organization, name: str, preset: Preset = Preset.ORGANIZATION_ADMIN) -> User:
    """Return somebody new in the organization."""
    user: User = UserFactory(username=name)
    OrganizationMember.objects.create(organization=organization, user=user, role=built_in(preset))
    return user


def put_on(organization: Organization, key: str) -> Subscription:
    """Put the organization on a plan of the seeds."""
    offer_plans()
    Subscription.objects.filter(organization=organization).update(plan=Plan.objects.get(key=key))
    return subscription_of(organization)


def names(organization: Organization) -> list[str]:
    return [user.username for user in billing_admins_of(organization)]


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def acme(ada: User) -> Organization:
    """An organization on a plan with one billing admin at a time."""
    organization: Organization = OrganizationFactory(name="acme", admin=ada)
    put_on(organization, "free")
    return organization


@pytest.fixture
def bob(acme: Organization) -> User:
    return join(acme, "bob")


class TestChoosing:
    def test_who_makes_an_organization_is_its_first_billing_admin(self, acme: Organization, ada: User):
        """TEAM-12."""
        assert names(acme) == ["ada"]
        assert can(actor(ada), BillingAction.MANAGE, acme)

    def test_assigning_another_moves_the_role(self, acme: Organization, ada: User, bob: User):
        """BIL-9, BIL-11: both are told, and the log says who, before and after."""
        assert admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob) == [ada]
        assert names(acme) == ["bob"]
        assert not can(actor(ada), BillingAction.MANAGE, acme)
        assert can(actor(ada), BillingAction.VIEW, acme)
        assert can(actor(bob), BillingAction.MANAGE, acme)
        entry = AuditEntry.objects.get(action="billing_admin.assign")
        assert (entry.actor_name, entry.organization_id) == ("ada", acme.pk)
        assert entry.before == {"billing_admins": ["ada"]}
        assert entry.after == {"billing_admins": ["bob"]}
        assert {(mail.to[0], mail.subject) for mail in delivered()} >= {
            ("ada@example.com", "You no longer manage billing of acme on Runyard"),
            ("bob@example.com", "You now manage billing of acme on Runyard"),
        }

    def test_plans_for_many_keep_those_there_are(self, acme: Organization, ada: User, bob: User):
        """BIL-9: dedicated plans."""
        put_on(acme, "enterprise")
        assert admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob) == []
        assert names(acme) == ["ada", "bob"]
        admins.withdraw_billing_admin(actor=actor(ada), organization=acme, user=ada)
        assert names(acme) == ["bob"]
        entries = AuditEntry.objects.filter(action__startswith="billing_admin").order_by("pk")
        assert [entry.action for entry in entries] == ["billing_admin.assign", "billing_admin.withdraw"]

    def test_choosing_who_is_one_changes_nothing(self, acme: Organization, ada: User):
        """BIL-11: no entry and no mail of what did not happen."""
        assert admins.assign_billing_admin(actor=actor(ada), organization=acme, user=ada) == []
        assert not AuditEntry.objects.filter(action="billing_admin.assign").exists()
        assert not [mail for mail in delivered() if "billing" in mail.subject]

    def test_any_admin_of_the_organization_may_choose(self, acme: Organization, ada: User, bob: User):
        """BIL-9: also one who is no billing admin; members and strangers do not."""
        carol = join(acme, "carol", Preset.ORGANIZATION_MEMBER)
        admins.assign_billing_admin(actor=actor(bob), organization=acme, user=bob)
        assert names(acme) == ["bob"]
        with pytest.raises(Forbidden):
            admins.assign_billing_admin(actor=actor(carol), organization=acme, user=ada)
        with pytest.raises(NotFound):
            admins.assign_billing_admin(actor=actor(UserFactory()), organization=acme, user=ada)

    def test_only_admins_become_one(self, acme: Organization, ada: User):
        """BIL-9: a billing admin is an organization admin."""
        carol = join(acme, "carol", Preset.ORGANIZATION_MEMBER)
        off = join(acme, "off")
        set_active(actor=SYSTEM, user=off, is_active=False)
        for user in (carol, off, UserFactory()):
            with pytest.raises(Conflict, match="not an admin of acme"):
                admins.assign_billing_admin(actor=actor(ada), organization=acme, user=user)
        assert names(acme) == ["ada"]

    def test_the_last_one_cannot_be_taken_away(self, acme: Organization, ada: User, bob: User):
        """BIL-9."""
        with pytest.raises(Conflict, match="/organizations/acme/billing/roles"):
            admins.withdraw_billing_admin(actor=actor(bob), organization=acme, user=ada)
        with pytest.raises(NotFound, match="not a billing admin"):
            admins.withdraw_billing_admin(actor=actor(ada), organization=acme, user=bob)

    def test_those_there_are_stay_when_the_plan_has_one_only(self, acme: Organization, ada: User, bob: User):
        """BIL-9: nobody loses a role by a change of plan; the page says so, and the next choice leaves one."""
        put_on(acme, "enterprise")
        admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob)
        put_on(acme, "pro")
        assert names(acme) == ["ada", "bob"]
        assert billing_admin_list(actor(ada), acme).is_over
        assert admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob) == [ada]
        assert names(acme) == ["bob"]
        assert not billing_admin_list(actor(ada), acme).is_over


class TestLeaving:
    """BIL-9: the last billing admin hands over before they go, by whichever way."""

    def place(self, organization: Organization, user: User) -> OrganizationMember:
        rows = OrganizationMember.objects.select_related("organization", "user", "role")
        return rows.get(organization=organization, user=user)

    def test_the_last_one_is_neither_demoted_nor_removed_and_does_not_leave(
        self, acme: Organization, ada: User, bob: User
    ):
        place = self.place(acme, ada)
        acts: list[Any] = [
            lambda: organizations.change_organization_member(
                actor=actor(bob), member=place, role=built_in(Preset.ORGANIZATION_MEMBER)
            ),
            lambda: organizations.remove_from_organization(actor=actor(bob), member=place),
            lambda: organizations.leave_organization(actor=actor(ada), organization=acme),
        ]
        for act in acts:
            with pytest.raises(
                Conflict, match=r"only billing admin of acme.*/organizations/acme/billing/roles"
            ):
                act()
        assert names(acme) == ["ada"]
        admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob)
        organizations.leave_organization(actor=actor(ada), organization=acme)
        assert names(acme) == ["bob"]

    def test_one_of_several_loses_the_role_with_the_place(self, acme: Organization, ada: User, bob: User):
        """BIL-11: and does not get it back by becoming an admin again."""
        put_on(acme, "enterprise")
        admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob)
        organizations.change_organization_member(
            actor=actor(bob), member=self.place(acme, ada), role=built_in(Preset.ORGANIZATION_MEMBER)
        )
        assert names(acme) == ["bob"]
        entry = AuditEntry.objects.get(action="billing_admin.withdraw")
        assert (entry.actor_name, entry.before["billing_admins"]) == ("bob", ["ada", "bob"])
        assert "You no longer manage billing of acme on Runyard" in {mail.subject for mail in delivered()}
        organizations.change_organization_member(
            actor=actor(bob), member=self.place(acme, ada), role=built_in(Preset.ORGANIZATION_ADMIN)
        )
        assert names(acme) == ["bob"]

    def test_an_account_is_deleted_after_handing_over(self, acme: Organization, ada: User, bob: User):
        """ACC-9: named with the page where it is done."""
        obstacles = obstacles_of(ada)
        assert [obstacle.url for obstacle in obstacles] == ["/organizations/acme/billing/roles"]
        with pytest.raises(Conflict, match="only billing admin of acme"):
            delete_account(actor=actor(ada), user=ada, typed="ada")
        admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob)
        delete_account(actor=actor(ada), user=ada, typed="ada")
        assert names(acme) == ["bob"]

    def test_one_of_several_deletes_the_account_at_once(self, acme: Organization, ada: User, bob: User):
        """ACC-9."""
        put_on(acme, "enterprise")
        admins.assign_billing_admin(actor=actor(ada), organization=acme, user=bob)
        delete_account(actor=actor(ada), user=ada, typed="ada")
        assert [row.user for row in BillingAdmin.objects.all()] == [bob]

    def test_who_is_alone_in_an_organization_deletes_the_account(self, acme: Organization, ada: User):
        """ACC-9: as ever; the subscriptions of both stay, for what was invoiced."""
        delete_account(actor=actor(ada), user=ada, typed="ada")
        assert not BillingAdmin.objects.exists()
        assert Subscription.objects.filter(organization=acme).exists()
        assert Subscription.objects.filter(team__name="ada").exists()

    def test_who_is_alone_and_pays_cancels_first(self, acme: Organization, ada: User):
        """ACC-9, BIL-8: nobody would be left to pay."""
        put_on(acme, "pro")
        assert ["pays for the plan Pro" in obstacle.text for obstacle in obstacles_of(ada)] == [True]
        with pytest.raises(Conflict, match="Cancel it first"):
            delete_account(actor=actor(ada), user=ada, typed="ada")

    def test_merging_accounts_moves_the_role(self, acme: Organization, ada: User, bob: User):
        """TEAM-21."""
        new: User = UserFactory(username="newada")
        assert any("billing" in line.what for line in plan_merge(ada, new).lines)
        merge_accounts(actor=SYSTEM, source=ada, target=new, typed="ada")
        assert names(acme) == ["newada"]
        merge_accounts(actor=SYSTEM, source=new, target=bob, typed="newada")
        assert names(acme) == ["bob"]
        last = AuditEntry.objects.filter(action="billing_admin.assign").latest("pk")
        assert (last.before, last.after) == ({"billing_admins": ["newada"]}, {"billing_admins": ["bob"]})

    def test_where_all_are_gone_an_admin_chooses_one(self, acme: Organization, ada: User, bob: User):
        """BIL-9: an operator switched the account off; billing is not orphaned."""
        set_active(actor=SYSTEM, user=ada, is_active=False)
        assert names(acme) == []
        assert not can(actor(bob), BillingAction.MANAGE, acme)
        assert admins.assign_billing_admin(actor=actor(bob), organization=acme, user=bob) == [ada]
        assert names(acme) == ["bob"]


class TestEnding:
    """What of billing goes with an organization, and what stays."""

    def test_history_stays_and_says_whose_the_last_mails_are(self, acme: Organization, ada: User):
        """BIL-10: a last invoice may come, for what the trash held; rights end with the organization."""
        subscription = subscription_of(acme)
        Invoice.objects.create(
            subscription=subscription, sequence=1, number="acme-1", kind=InvoiceKind.PERIOD, status="paid",
            period_start="2026-01-01", period_end="2026-02-01", due_at="2026-02-01T00:00Z", total_usd=60,
        )  # fmt: skip
        organizations.delete_organization(actor=actor(ada), organization=acme, typed="acme")
        acme.refresh_from_db()
        assert list(billing_recipients(acme)) == [ada]
        assert not can(actor(ada), BillingAction.MANAGE, acme)
        assert Invoice.objects.get().subscription == subscription

    def test_what_is_paid_for_is_cancelled_first(self, acme: Organization, ada: User):
        """BIL-8: a plan with a price, unless it ends with the period."""
        subscription = put_on(acme, "pro")
        with pytest.raises(Conflict, match="pays for the plan Pro"):
            organizations.delete_organization(actor=actor(ada), organization=acme, typed="acme")
        Subscription.objects.filter(pk=subscription.pk).update(next_plan=Plan.objects.get(key="free"))
        organizations.delete_organization(actor=actor(ada), organization=acme, typed="acme")

    def test_open_invoices_are_settled_first(self, acme: Organization, ada: User):
        """BIL-10."""
        Invoice.objects.create(
            subscription=subscription_of(acme), sequence=1, number="acme-1", kind=InvoiceKind.PERIOD,
            period_start="2026-01-01", period_end="2026-02-01", due_at="2026-02-01T00:00Z", total_usd=60,
        )  # fmt: skip
        with pytest.raises(Conflict, match="has unpaid invoices: acme-1"):
            organizations.delete_organization(actor=actor(ada), organization=acme, typed="acme")
        assert names(acme) == ["ada"]

    def test_what_a_deleted_team_used_is_still_its_organizations(self, acme: Organization, ada: User):
        """BIL-4: hours and bytes of the period stay in it."""
        team = create_team(actor=SYSTEM, name="vision", organization=acme, admin=ada)
        deletion.delete_team(actor=actor(ada), team=team, typed="vision")
        assert list(teams_of(subscription_of(acme))) == [team]


def test_the_page_of_people_costs_the_same_for_more(acme: Organization, django_assert_num_queries: Any):
    """BIL-9: billing admins and admins first; a fixed number of queries."""
    for number in range(3):
        join(acme, f"m{number}", Preset.ORGANIZATION_MEMBER)
    join(acme, "zoe")
    with django_assert_num_queries(2):
        rows = people_of(acme, MemberFilter()).rows
    assert [row.user.username for row in rows] == ["ada", "zoe", "m0", "m1", "m2"]
    assert [row.user.username for row in people_of(acme, MemberFilter(text="ZO")).rows] == ["zoe"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer")
class TestAtOnce:
    """BIL-9: whatever happens at once, exactly one is left."""

    def both(self, *acts: Any) -> None:
        barrier = Barrier(len(acts))

        def run(act: Any) -> None:
            try:
                barrier.wait(PATIENCE_S)
                with suppress(Conflict):
                    act()
            finally:
                connections.close_all()

        with ThreadPoolExecutor(len(acts)) as pool:
            list(pool.map(run, acts))

    def test_two_assignments_leave_one(self):
        acme = OrganizationFactory(name="acme", admin=UserFactory(username="ada"))
        put_on(acme, "free")
        people = [join(acme, f"admin{number}") for number in range(4)]
        for _round in range(5):
            self.both(*(
                lambda user=user: admins.assign_billing_admin(actor=SYSTEM, organization=acme, user=user)
                for user in people
            ))  # fmt: skip
            assert BillingAdmin.objects.count() == 1

    def test_handing_over_while_the_other_is_demoted_leaves_somebody(self):
        ada = UserFactory(username="ada")
        acme = OrganizationFactory(name="acme", admin=ada)
        put_on(acme, "free")
        bob = join(acme, "bob")
        place = OrganizationMember.objects.select_related("organization", "user", "role").get(user=bob)
        self.both(
            lambda: admins.assign_billing_admin(actor=SYSTEM, organization=acme, user=bob),
            lambda: organizations.change_organization_member(
                actor=SYSTEM, member=place, role=built_in(Preset.ORGANIZATION_MEMBER)
            ),
        )
        assert len(names(acme)) == 1

    def test_two_of_several_withdrawn_leave_one(self):
        ada = UserFactory(username="ada")
        acme = OrganizationFactory(name="acme", admin=ada)
        put_on(acme, "enterprise")
        bob = join(acme, "bob")
        admins.assign_billing_admin(actor=SYSTEM, organization=acme, user=bob)
        self.both(*(
            lambda user=user: admins.withdraw_billing_admin(actor=SYSTEM, organization=acme, user=user)
            for user in (ada, bob)
        ))  # fmt: skip
        assert len(names(acme)) == 1
