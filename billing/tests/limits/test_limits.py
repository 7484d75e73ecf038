"""BIL-2, BIL-3: limits and what is used of them, and what pages say when one is near."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisConnectionError

from access.actions import Preset
from accounts.models import User
from billing.limits.near_limits import notices_of
from billing.limits.selectors import LimitKind, LimitStatus, limits_by_subscription, limits_of
from billing.limits.warnings import near_limits, refresh_all
from billing.models import NoticeDismissal, Subscription
from billing.subscriptions.selectors import subscription_of
from runs.models import Project
from storage.models import Holding
from teams.models import Organization, Team, Visibility
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory, make_member
from tests.plans import put_on
from usage.models import MeterState, UsageDay
from usage.tests.usage_rows import add_up

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
GB = 10**9


@pytest.fixture(autouse=True)
def now() -> Iterator[None]:
    cache.clear()
    MeterState.objects.update_or_create(id=1, defaults={"metered_at": NOW})
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def organization(ada: User) -> Organization:
    return OrganizationFactory(name="acme", admin=ada)


@pytest.fixture
def team(organization: Organization, ada: User) -> Team:
    return TeamFactory(name="lab", organization=organization, admin=ada)


def use(team: Team, *, hours: float = 0, held_gb: float = 0, ingested_gb: float = 0) -> None:
    """Enter what a team used this month and holds now."""
    UsageDay.objects.create(
        team_id=team.pk, day=NOW.date(), tracked_s=int(hours * 3600), ingested_bytes=int(ingested_gb * GB)
    )
    add_up(team.pk)
    Holding.objects.create(team_id=team.pk, category="file", size_bytes=int(held_gb * GB))


def small(payer: Organization | User, **terms: Any) -> Subscription:
    return put_on(payer, **{"name": "Small", "included_hours": 100, "included_storage_gb": 10, **terms})


class TestStates:
    """What is used of what."""

    def test_all_of_an_organization_counts(self, organization: Organization, team: Team):
        """BIL-2: use of all its teams, deleted ones, too, in this period."""
        other = TeamFactory(organization=organization, admin=UserFactory())
        Team.objects.filter(pk=other.pk).update(deleted_at=NOW)
        use(team, hours=40, held_gb=3, ingested_gb=1)
        use(other, hours=20.5, held_gb=2)
        UsageDay.objects.create(team_id=team.pk, day=(NOW - timedelta(days=40)).date(), tracked_s=360_000)
        add_up(team.pk)
        row = small(organization, seats=5, included_ingestion_gb=4)
        row.extra_storage_gb = 10
        row.save()
        found = {limit.kind: limit for limit in limits_of(row).all}
        assert found[LimitKind.HOURS].used == Decimal("60.5")
        assert [found[LimitKind.STORAGE].used, found[LimitKind.STORAGE].included] == [5, 20]
        assert found[LimitKind.INGESTION].percent == 25
        assert [found[LimitKind.SEATS].used, found[LimitKind.SEATS].included] == [2, 5]
        assert found[LimitKind.VIEW_ONLY_SEATS].included is None

    @pytest.mark.parametrize(
        ("hours", "standing"),
        [(84.9, "within"), (85, "near"), (99.9, "near"), (100, "full"), (250, "full")],
    )
    def test_near_from_85_percent_and_full_from_100(self, organization, team, hours: float, standing: str):
        use(team, hours=hours)
        limit = limits_of(small(organization)).of(LimitKind.HOURS)
        assert limit is not None
        assert limit.status == standing
        assert limit.is_exceeded is (hours > 100)

    def test_a_limit_of_nothing_is_full(self, organization: Organization):
        limit = limits_of(small(organization, included_hours=0)).of(LimitKind.HOURS)
        assert limit is not None
        assert (limit.status, limit.is_exceeded) == (LimitStatus.FULL, False)

    def test_personal_entities_have_their_own(self, ada: User, team: Team):
        use(ada.claim.team, hours=7)
        use(team, hours=50)
        state = limits_of(small(ada))
        assert [limit.kind for limit in state.all] == [
            LimitKind.HOURS,
            LimitKind.STORAGE,
            LimitKind.INGESTION,
        ]
        assert state.all[0].used == 7

    def test_many_cost_what_one_costs(self, django_assert_max_num_queries):
        rows = [small(OrganizationFactory(), seats=3) for _ in range(6)]
        with django_assert_max_num_queries(9):
            assert len(limits_by_subscription(rows)) == 6


class TestNotices:
    """BIL-2: on the home page and an organization's pages to who sees its billing, elsewhere only what is refused."""

    @pytest.fixture
    def project(self, team: Team) -> Project:
        return ProjectFactory(name="cats", team=team, visibility=Visibility.PUBLIC)

    def _pages(self) -> list[str]:
        return [
            reverse("runs:home"),
            reverse("runs:entity", args=["acme"]),
            reverse("teams:organization", args=["acme"]),
        ]

    def test_say_what_how_much_and_who_can_change_it(
        self, client: Client, organization: Organization, team: Team, project: Project
    ):
        """To admins of the organization, who can act on it; one who does not manage the plan reads whom to ask."""
        small(organization)
        use(team, hours=90, held_gb=12)
        assert refresh_all() == 1
        client.force_login(make_member(team, Preset.ORGANIZATION_ADMIN))
        for path in self._pages():
            text = client.get(path).content.decode()
            assert "Tracked hours: 90 h of 100 h in this period." in text, path
            assert "Storage: 12 GB of 10 GB." in text, path
            assert "Nothing is blocked." in text
            assert "Usage admins of acme can change the plan: ada." in text
        for path in (
            reverse("teams:members", args=["lab"]),
            reverse("runs:project_overview", args=["lab", "cats"]),
        ):
            assert "notice-limits" not in client.get(path).content.decode()  # where people work

    def test_members_read_only_of_what_their_runs_are_refused(
        self, client: Client, organization: Organization, team: Team, project: Project, settings
    ):
        """The review's usability 2: an amber bar for everybody all month helps nobody."""
        settings.ENFORCE_LIMITS = True
        small(organization)
        use(team, hours=90, held_gb=12)
        refresh_all()
        client.force_login(make_member(team))
        path = reverse("runs:entity", args=["lab"])
        assert "notice-limits" not in client.get(path).content.decode()
        Subscription.objects.update(over_storage_since=NOW - timedelta(days=8))
        refresh_all()
        text = client.get(path).content.decode()
        assert "File uploads are blocked until you free up storage." in text
        assert "Tracked hours: 90 h" not in text
        assert reverse("billing:overview", args=["acme"]) not in text

    def test_closed_ones_come_back_at_the_next_threshold_and_in_the_next_period(
        self, client: Client, ada: User, organization: Organization, team: Team, project: Project
    ):
        """Closing is kept on the server, for the person alone."""
        row, path = small(organization), reverse("runs:home")
        use(team, hours=90)
        refresh_all()
        client.force_login(ada)
        text = client.get(path).content.decode()
        [key] = re.findall(r'name="notice" value="([^"]+)"', text)
        assert key == "hours:near"
        sent = {"of": row.pk, "notice": [key, "nonsense", "hours:never"]}
        for _twice in range(2):
            reply = client.post(reverse("billing:notices_close"), sent, headers={"HX-Request": "true"})
            assert (reply.status_code, reply.content) == (200, b"")
        assert NoticeDismissal.objects.count() == 1
        assert "notice-limits" not in client.get(path).content.decode()
        other = Client()
        other.force_login(make_member(team, Preset.ORGANIZATION_ADMIN))
        assert "Tracked hours: 90 h" in other.get(path).content.decode()
        UsageDay.objects.update(tracked_s=190 * 3600)
        add_up(team.pk)
        refresh_all()
        assert "Tracked hours: 190 h" in client.get(path).content.decode()
        with time_machine.travel(NOW + timedelta(days=40), tick=False):
            later = timezone.now()
            MeterState.objects.update(metered_at=later)
            UsageDay.objects.create(team_id=team.pk, day=later.date(), tracked_s=90 * 3600)
            add_up(team.pk)
            refresh_all()
            client.force_login(ada)
            assert "Tracked hours: 90 h" in client.get(path).content.decode()

    def test_strangers_close_nothing_and_without_scripts_it_leads_back(
        self, client: Client, ada: User, organization: Organization, team: Team
    ):
        row, close = small(organization), reverse("billing:notices_close")
        client.force_login(UserFactory())
        assert client.post(close, {"of": row.pk, "notice": "hours:near"}).status_code == 404
        assert client.post(close, {"of": "x"}).status_code == 302
        client.force_login(ada)
        for referer, back in (("http://testserver/lab", "http://testserver/lab"), ("http://evil/", "/")):
            reply = client.post(close, {"of": row.pk, "notice": "hours:near"}, headers={"Referer": referer})
            assert reply.headers["Location"] == back

    def test_billing_admins_are_led_to_what_they_can_do(
        self, client: Client, ada: User, organization, team, project
    ):
        small(organization)
        use(team, hours=90)
        refresh_all()
        client.force_login(ada)
        text = client.get(reverse("runs:home")).content.decode()
        assert reverse("billing:overview", args=["acme"]) in text
        assert "Usage admins of acme" not in text

    def test_nobody_from_elsewhere_reads_them(self, client: Client, organization, team, project):
        small(organization)
        use(team, hours=90)
        refresh_all()
        path = reverse("runs:project_overview", args=["lab", "cats"])
        assert "Tracked hours: 90 h" not in client.get(path).content.decode()
        client.force_login(UserFactory())
        assert "Tracked hours: 90 h" not in client.get(path).content.decode()

    def test_a_personal_entitys_page_tells_its_owner(self, client: Client, ada: User):
        small(ada)
        use(ada.claim.team, hours=100)
        refresh_all()
        client.force_login(ada)
        text = client.get(reverse("runs:entity", args=["ada"])).content.decode()
        assert "Tracked hours: 100 h of 100 h in this period." in text
        assert "Delete what you no longer need" in text
        client.force_login(UserFactory())
        assert "100 h of 100 h" not in client.get(reverse("runs:entity", args=["ada"])).content.decode()

    def test_go_when_the_plan_changes(
        self, client: Client, ada: User, organization, team, django_capture_on_commit_callbacks
    ):
        small(organization)
        use(team, hours=90)
        refresh_all()
        assert near_limits(organization_id=organization.pk)
        with django_capture_on_commit_callbacks(execute=True):
            put_on(organization, included_hours=1000)
        assert near_limits(organization_id=organization.pk) == []

    def test_terms_are_kept_while_redis_is_away(
        self, organization, team, django_capture_on_commit_callbacks, monkeypatch: pytest.MonkeyPatch
    ):
        """As of a `manage.py` command on the embedded default, whose server does not run."""
        small(organization)
        use(team, hours=90)

        def away(*_: object, **__: object) -> None:
            raise RedisConnectionError("no server")

        for name in ("set", "set_many", "delete", "delete_many"):
            monkeypatch.setattr(cache, name, away)
        with django_capture_on_commit_callbacks(execute=True):
            put_on(organization, included_hours=50)
        assert subscription_of(organization).plan.included_hours == 50

    def test_cost_nothing_where_nothing_presses(self, organization, team, django_assert_num_queries):
        put_on(organization, included_hours=None)
        refresh_all()
        with django_assert_num_queries(0):
            assert near_limits(organization_id=organization.pk) == []


class TestWords:
    """What follows from a limit, as it is."""

    def _words(self, organization: Organization) -> list[str]:
        row = subscription_of(organization)
        return [f"{words.what} {words.consequence}" for words in notices_of(row, limits_of(row).near)]

    def test_prices(self, organization, team):
        small(organization, hour_price_usd=Decimal("0.10"))
        use(team, hours=101)
        what = "Tracked hours: 101 h of 100 h in this period."
        assert self._words(organization) == [
            f"{what} Usage above the plan costs $0.10 per h. Logging isn’t blocked."
        ]

    def test_grace_and_its_end(self, settings, organization, team):
        settings.ENFORCE_LIMITS = True
        small(organization, included_hours=None)
        use(team, held_gb=9)
        assert self._words(organization) == [
            "Storage: 9 GB of 10 GB. After 7 days above the limit, file uploads are blocked."
        ]
        Holding.objects.update(size_bytes=11 * GB)
        refresh_all()
        assert self._words(organization) == [
            "Storage: 11 GB of 10 GB. From March 27, 2026, file uploads are blocked unless you free up storage."
        ]
        with time_machine.travel(NOW + timedelta(days=8), tick=False):
            [words] = self._words(organization)
            follows = "File uploads are blocked until you free up storage. Metrics and logs still work."
            assert words == f"Storage: 11 GB of 10 GB. {follows}"

    @pytest.mark.parametrize(("enforced", "follows"), [
        (True, "No one new can join until a seat is free."), (False, "No one is blocked."),
    ])  # fmt: skip
    def test_seats(self, settings, organization, team, enforced: bool, follows: str):
        settings.ENFORCE_LIMITS = enforced
        small(organization, seats=1)
        assert self._words(organization) == [f"1 of 1 seats are taken. {follows}"]
