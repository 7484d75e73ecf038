"""BIL-4: whatever runs do and whenever the meter runs, what it counts is what a count from scratch finds."""

from collections.abc import Callable

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from billing.models import Subscription
from billing.subscriptions.selectors import subscription_of_team
from runs.models import Project, Run
from tests.factories import OrganizationFactory, ProjectFactory, TeamFactory, UserFactory
from tests.suite.examples import examples
from usage.metering.meter import rebuild
from usage.metering.state import begin_sums
from usage.models import UsageDay
from usage.periods import period_of
from usage.tests.by_days import use_by
from usage.tests.lives import BEGIN, World, byte_seconds, closed_days, metered, run_meter, table

pytestmark = pytest.mark.django_db

Act = Callable[[World], object]


def act(
    name: str, *arguments: st.SearchStrategy[object], **named: st.SearchStrategy[object]
) -> st.SearchStrategy[Act]:
    """Make a call of a world's method, or of the meter."""

    def call(drawn: tuple[tuple[object, ...], dict[str, object]]) -> Act:
        def do(world: World) -> object:
            return getattr(world, name)(*drawn[0], **drawn[1])

        do.__name__ = f"{name}{drawn}"
        return do

    return st.tuples(st.tuples(*arguments), st.fixed_dictionaries(named)).map(call)


uids = st.sampled_from(["one", "one", "one", "two", "three"])
places = st.integers(0, 3)
flags = st.booleans()
clocks = st.one_of(st.just(0.0), st.floats(0, 5000), st.floats(0, 3_000_000))
waits = st.one_of(
    st.sampled_from([0, 0.25, 0.5, 0.75, 1, 29.5, 299, 301, 1800]),
    st.integers(0, 36 * 3600),
    st.integers(0, 40 * 24 * 3600),
)
steps = st.one_of(
    act("wait", waits),
    act("turn_month", st.sampled_from([-25, -1, -0.01, 0, 0.01, 1, 6, 7])),
    act("begin", uids, places, pending=flags),
    act("begin", uids, places, pending=flags),
    act("beat", uids, preempting=st.sampled_from([False, False, False, True]), clock=clocks),
    act("beat", uids, preempting=st.just(False), clock=clocks),
    act("finish", uids, st.sampled_from([0, 1]), clocks),
    act("sync", uids, places, clocks),
    act("sweep"),
    act("delete", uids),
    act("purge"),
    act("move", uids, places),
    act("rewind", uids),
    act("fork", uids, uids),
    act("store", uids, st.integers(-(10**9), 10**12)),
    act("ingest", places, st.integers(0, 10**9), again=flags),
    act("close", st.just(0), all_of_them=flags),
    act("close", places, all_of_them=flags),
    act("close_over_month", uids, places, st.integers(1, 30), st.integers(0, 3600), is_metered=flags),
    act("meter"),
    act("meter_twice"),
    act("rebuild"),
)


class Metered(World):
    """A world with a meter."""

    def meter(self) -> None:
        run_meter()

    def meter_twice(self) -> None:
        run_meter()
        before = table()
        run_meter()
        assert table() == before

    def rebuild(self) -> None:
        begin_sums(timezone.now())  # whoever counts first in a month writes what was held when it began
        before = table()
        rebuild()
        assert table() == before


@pytest.fixture
def projects() -> list[Project]:
    with time_machine.travel(BEGIN, tick=False):
        organization, user = OrganizationFactory(), UserFactory()
        teams = [
            TeamFactory(organization=organization, admin=organization.members.get().user) for _ in range(2)
        ]
        teams += [TeamFactory(), user.memberships.get().team]
        subscription = subscription_of_team(teams[2])
        Subscription.objects.filter(pk=subscription.pk).update(anchor_day=15)
        return [ProjectFactory(team=team) for team in teams]


def check_closed(world: World) -> None:
    """What was closed is as it was then."""
    for teams, closed_to, days in world.closings:
        assert closed_days(teams, closed_to) == days


def check(world: World) -> None:
    """Compare with the counts from scratch."""
    states = dict(Run.objects.values_list("pk", "state"))
    assert {life.pk: life.state for life in world.lives.values()}.items() <= states.items()
    now = run_meter()
    assert metered() == world.tracked()
    before = table()
    rebuild()
    assert table() == before
    check_closed(world)
    for project in world.projects:
        for anchor_day in (1, 15):
            period = period_of(now.date(), anchor_day)
            for one in (period, period.previous(anchor_day)):
                until = min(one.ends_at, now)
                held = use_by([project.team_id], one)[()]
                assert held.byte_seconds == byte_seconds(project.team_id, one.starts_at, until)


def rebuild_in_a_month_that_nobody_counted(world: Metered) -> None:
    """A rebuild that is the first to count since a month began."""
    world.close_over_month("one", 0, 1, 0, is_metered=False)
    world.meter()
    world.turn_month(1)
    world.rebuild()


@settings(max_examples=examples(50), deadline=None, suppress_health_check=list(HealthCheck))
@example(acts=[rebuild_in_a_month_that_nobody_counted])
@given(st.lists(steps, min_size=3, max_size=25))
def test_the_meter_counts_what_a_count_from_scratch_finds(projects, acts):
    """BIL-4: parallel, resumed, crashed, preempted, deleted, purged, moved, forked and rewound, synced late; over month
    ends and closings."""
    with time_machine.travel(BEGIN, tick=False) as clock, transaction.atomic():
        world = Metered(projects, projects[-1].team.memberships.get().user, clock)
        for do in acts:
            do(world)
        check(world)
        transaction.set_rollback(True)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(steps, act("wait", st.integers(-3 * 24 * 3600, -1))), min_size=3, max_size=25))
def test_clocks_that_jump_back_do_no_harm(projects, acts):
    """BIL-4: nothing is negative, nothing is lost that was counted, and a rebuild finds the same."""
    with time_machine.travel(BEGIN, tick=False) as clock, transaction.atomic():
        world = Metered(projects, projects[-1].team.memberships.get().user, clock)
        seen = 0
        for do in acts:
            do(world)
            total = sum(metered().values())
            assert total >= seen
            seen = total
        run_meter()
        world.rebuild()
        check_closed(world)
        assert not UsageDay.objects.filter(tracked_s__lt=0).exists()
        transaction.set_rollback(True)
