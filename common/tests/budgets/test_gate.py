"""How much of one kind of work is done at once, and for whom."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from common.budgets.budget import Budget, ClientGone, budget_of
from common.budgets.gate import Gate
from common.errors import TooManyRequests, Unavailable


@contextmanager
def passing(gate: Gate, *callers: str) -> Iterator[list[str]]:
    """Let each caller pass in a thread of its own, until the block ends; gives who has passed, in their order."""
    passed: list[str] = []
    ended = threading.Event()

    def work(caller: str) -> None:
        with gate.passing(caller):
            passed.append(caller)
            ended.wait(30)

    threads = [threading.Thread(target=work, args=[caller]) for caller in callers]
    for thread in threads:
        thread.start()
        while not thread.is_alive() or len(gate._waiting) + gate._running.total() < threads.index(thread) + 1:
            time.sleep(0.001)
    yield passed
    ended.set()
    for thread in threads:
        thread.join()


def test_a_caller_who_fills_their_share_is_refused_and_others_are_not() -> None:
    gate = Gate(at_once=3, each=2)
    with passing(gate, "a", "a"):
        with pytest.raises(TooManyRequests), gate.passing("a"):
            pass
        with gate.passing("b"):
            pass


def test_everyone_is_refused_when_all_places_are_taken() -> None:
    gate = Gate(at_once=2, each=2)
    with passing(gate, "a", "b"), pytest.raises(Unavailable), gate.passing("c"):
        pass


def test_who_has_least_under_way_goes_before_who_came_first() -> None:
    gate = Gate(at_once=2, each=2, waiting=2, wait_s=30)
    first = threading.Event()
    done: list[str] = []

    def work(caller: str) -> None:
        with gate.passing(caller):
            done.append(caller)

    with passing(gate, "a"):
        with gate.passing("a"):
            threads = [threading.Thread(target=work, args=[caller]) for caller in ("a", "b")]
            for number, thread in enumerate(threads, 1):
                thread.start()
                while len(gate._waiting) < number:
                    first.wait(0.001)
        for thread in threads:
            thread.join()
    assert done == ["b", "a"]


def test_no_more_wait_than_may() -> None:
    gate = Gate(at_once=1, each=1, waiting=1, wait_s=30)
    with passing(gate, "a", "a"), pytest.raises(TooManyRequests), gate.passing("a"):
        pass


def test_waiting_ends() -> None:
    gate = Gate(at_once=1, each=1, waiting=1, wait_s=0.05)
    with passing(gate, "a"), pytest.raises(Unavailable), gate.passing("b"):
        pass


def test_a_client_that_has_left_does_not_wait() -> None:
    gate = Gate(at_once=1, each=1, waiting=1, wait_s=30)
    with passing(gate, "a"), budget_of(Budget(lambda: True)), pytest.raises(ClientGone), gate.passing("b"):
        pass
    assert not gate._waiting
