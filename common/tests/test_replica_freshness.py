"""How long a request waits for the replica, and for how long one that is behind, busy or away is left alone."""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import OperationalError

from common.database.replica import freshness
from common.database.replica.freshness import (
    BEHIND_FOR_S,
    BUSY_REST_S,
    REST_S,
    WAITS_S,
    Freshness,
    look,
    trouble,
)

POSITION = ("1", "00000001", "0/1")
ALL, BEHIND, FOREIGN = (True, True), (True, False), (False, True)


class Link:
    """A connection that nobody asks anything."""

    connection = None
    closed = 0

    def close(self) -> None:
        """Count it."""
        self.closed += 1


class World:
    """A clock, and what the replica answers."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, 0.0
        self.answers: Iterator[object] = iter(())
        self.replica = Link()

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        self.slept += seconds

    def row(self, alias: str, _statement: str, _parameters: object = ()) -> object:
        """Answer, or fail."""
        answer = POSITION if alias == freshness.PRIMARY else next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def look(self, *answers: object) -> tuple[Freshness, float]:
        """Look; return what was found, and how long it waited. All answers are used."""
        self.answers, before = iter(answers), self.slept
        found = look()
        assert next(self.answers, None) is None
        return found, round(self.slept - before, 6)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    found = World()
    monkeypatch.setattr(freshness, "connections", {"default": Link(), "replica": found.replica})
    monkeypatch.setattr(freshness, "_row", found.row)
    monkeypatch.setattr("common.database.replica.freshness.time.monotonic", lambda: found.now)
    monkeypatch.setattr("common.database.replica.freshness.time.sleep", found.sleep)
    for name, value in {"trouble": "", "rests_until": 0.0, "waits_again_at": 0.0}.items():
        monkeypatch.setattr(freshness._Process, name, value)
    return found


def away(cause: Exception) -> OperationalError:
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


def test_a_request_waits_until_the_replica_has_all(world: World) -> None:
    assert world.look(ALL) == (Freshness.FRESH, 0)
    assert world.look(BEHIND, BEHIND, ALL) == (Freshness.FRESH, sum(WAITS_S[:2]))
    assert world.replica.closed == 0


def test_only_one_request_waits_in_vain_each_second(world: World) -> None:
    """And the others, which do not wait, do not put off the next that does."""
    in_vain = [BEHIND] * (1 + len(WAITS_S))
    assert world.look(*in_vain) == (Freshness.BEHIND, round(sum(WAITS_S), 6))
    assert world.replica.closed == 1  # for others
    for _ in range(9):
        world.now += BEHIND_FOR_S / 10
        assert world.look(BEHIND) == (Freshness.BEHIND, 0)
    assert world.look(ALL) == (Freshness.FRESH, 0)
    world.now += BEHIND_FOR_S / 10
    assert world.look(BEHIND, ALL) == (Freshness.FRESH, WAITS_S[0])


def test_one_that_is_away_is_left_alone_and_then_tried_by_one_request(world: World) -> None:
    refused = away(psycopg.OperationalError("connection refused"))
    assert world.look(refused) == (Freshness.UNAVAILABLE, 0)
    assert trouble() == "connection refused"
    assert world.look() == (Freshness.UNAVAILABLE, 0)
    world.now += REST_S
    assert world.look(refused) == (Freshness.UNAVAILABLE, 0)
    assert world.look() == (Freshness.UNAVAILABLE, 0)
    world.now += REST_S
    assert world.look(ALL) == (Freshness.FRESH, 0)
    assert trouble() == ""
    assert world.look(ALL) == (Freshness.FRESH, 0)


@pytest.mark.parametrize(
    ("reason", "rest_s"), [(None, BUSY_REST_S), (psycopg.OperationalError("gone"), REST_S)]
)
def test_one_whose_connections_are_all_in_use_is_soon_asked_again(
    world: World, monkeypatch: pytest.MonkeyPatch, reason: Exception | None, rest_s: float
) -> None:
    """The pool tells both by the same error: a connection beside it shows whether the server lives."""
    from psycopg_pool import PoolTimeout

    monkeypatch.setattr(freshness, "unreachable_because", lambda _alias: reason)
    assert world.look(away(PoolTimeout("couldn't get a connection"))) == (Freshness.UNAVAILABLE, 0)
    assert trouble() == str(reason or "")
    world.now += rest_s - 0.1
    assert world.look() == (Freshness.UNAVAILABLE, 0)
    world.now += 0.2
    assert world.look(ALL) == (Freshness.FRESH, 0)


def test_a_server_with_another_history_is_left_alone(world: World) -> None:
    assert world.look(FOREIGN) == (Freshness.FOREIGN, 0)
    assert "no standby" in trouble()
    assert world.look() == (Freshness.UNAVAILABLE, 0)
