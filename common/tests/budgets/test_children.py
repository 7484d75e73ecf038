"""Decoders in processes of their own."""

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext

from common.budgets import children
from common.budgets.budget import Budget, ClientGone, TooExpensive, budget_of
from common.budgets.child import TooLargeDecoded
from common.budgets.children import apart
from common.errors import Forbidden, TooManyRequests


@pytest.fixture(autouse=True)
def _end_children() -> Any:
    yield
    children.end_all()


def take(size: int) -> int:
    return len(bytearray(size))


def compute() -> None:
    while True:
        pass


def refuse() -> None:
    raise Forbidden("no", action="run.view")


def end_by(number: int) -> None:
    os.kill(os.getpid(), number)


def language() -> str:
    return gettext("Cancel")


def fail() -> None:
    raise RuntimeError("a bug")


def test_a_call_returns_what_it_returns_and_the_process_serves_again() -> None:
    assert apart(take, 1000) == 1000
    first = apart(os.getpid)
    assert first != os.getpid()
    assert apart(os.getpid) == first


def test_memory_is_limited_by_the_kernel(settings: Any) -> None:
    settings.DECODER_BYTES = 64 << 20
    with pytest.raises(TooLargeDecoded, match=r"more than 64 MiB .* \(setting RUNYARD_DECODER_MIB\)"):
        apart(take, 400 << 20)
    assert apart(take, 8 << 20) == 8 << 20


def test_processor_time_is_limited_and_counts(settings: Any) -> None:
    settings.REQUEST_MAX_S = 1
    budget = Budget()
    with budget_of(budget), pytest.raises(TooExpensive, match="RUNYARD_REQUEST_MAX_S"):
        apart(compute)
    assert budget.seconds > 0.5


def test_it_ends_when_the_client_has_left() -> None:
    began = time.monotonic()
    with budget_of(Budget(lambda: time.monotonic() > began + 0.2)), pytest.raises(ClientGone):
        apart(compute)


def test_refusals_are_raised_here() -> None:
    with pytest.raises(Forbidden) as refused:
        apart(refuse)
    assert (refused.value.message, refused.value.action) == ("no", "run.view")
    with pytest.raises(FileNotFoundError):
        apart(Path.read_bytes, Path("/nothing"))


def test_a_child_that_dies_is_replaced() -> None:
    """Allocators end the process where they can get no more; so does the kernel where memory is short."""
    for number in (signal.SIGABRT, signal.SIGKILL):
        with pytest.raises(TooLargeDecoded):
            apart(end_by, number)
    assert apart(take, 1) == 1


def test_a_bug_is_none_of_the_files_faults() -> None:
    with pytest.raises(RuntimeError, match="what it printed says why"):
        apart(fail)


def test_messages_are_in_the_readers_language() -> None:
    with translation.override("ja"):
        assert apart(language) == gettext("Cancel") != "Cancel"


def test_a_caller_without_processor_time_is_refused(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from common.budgets import heavy_work

    monkeypatch.setattr(heavy_work, "spent", lambda *_args, **_more: [settings.PROCESSOR_RATE * 1000])
    with (
        budget_of(Budget(caller="address 192.0.2.1")),
        pytest.raises(TooManyRequests, match="RUNYARD_PROCESSOR_RATE"),
    ):
        apart(take, 1)


def test_a_child_that_has_grown_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_KEPT_BYTES", 1)
    first = apart(os.getpid)
    assert apart(os.getpid) != first


def test_idle_children_end(monkeypatch: pytest.MonkeyPatch) -> None:
    apart(os.getpid)
    monkeypatch.setattr(children, "_IDLE_S", 0)
    time.sleep(0.01)
    children._end_idle()
    assert not children._idle
