"""AGT-4: one sample of everything at an interval, whatever a source does."""

from __future__ import annotations

import logging
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import PATIENCE_S

from runyard_agent.collecting import Absent
from runyard_agent.collectors.amd import Amd
from runyard_agent.sampler import Sampler


class Source:
    """A collector that does as it is told."""

    def __init__(self, name, *, reading=None, start=None, collect=None):
        self.name, self._reading = name, reading or {}
        self._start, self._collect = start, collect
        self.asked = self.closed = 0

    def start(self):
        if self._start:
            raise self._start

    def collect(self):
        self.asked += 1
        return self._collect() if self._collect else self._reading

    def facts(self):
        return {self.name: "there"}

    def close(self):
        self.closed += 1


class Clock:
    """A clock that a test moves."""

    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def make():
    made = []

    def new(*collectors, **options):
        made.append(Sampler(collectors, **options))
        return made[-1]

    yield new
    for sampler in made:
        sampler.close()


def test_rows_are_shaped_as_the_wire_wants(make):
    """AGT-4: prefix, time, runtime and label; a tag that has a label keeps it; NaN is left out."""
    clock = Clock()
    source = Source("a", reading={"cpu": 1.5, "gpu.0.gpu/l:node-3": 2, "bad": float("nan")})
    sampler = make(source, label="me", clock=clock, wall=lambda: 1795240000.25)
    clock.now += 30
    assert sampler.sample() == [
        {
            "_timestamp": 1795240000.25,
            "_runtime": 30.0,
            "system.cpu/l:me": 1.5,
            "system.gpu.0.gpu/l:node-3": 2,
        }
    ]


@settings(deadline=None)  # machines are busy
@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5))
def test_the_runtime_does_not_follow_a_clock_that_jumps(jumps):
    """AGT-4: the wall clock may be set back; _runtime still grows."""
    clock, wall = Clock(), iter([1.8e9 + jump for jump in jumps])
    sampler = Sampler([Source("a", reading={"cpu": 1})], clock=clock, wall=lambda: next(wall))
    runtimes = []
    for _ in jumps:
        clock.now += 15
        runtimes += [row["_runtime"] for row in sampler.sample()]
    sampler.close()
    assert runtimes == [15.0 * tick for tick in range(1, len(jumps) + 1)]


def test_what_is_absent_is_asked_once(make):
    """AGT-4: a collector that is absent costs nothing; its thread ends."""
    absent = Source("absent", start=Absent("no such thing"))
    sampler = make(absent, Source("a", reading={"cpu": 1}))
    sampler.sample()
    sampler.sample()
    lane = sampler.lanes[0]
    lane._thread.join(PATIENCE_S)
    assert (lane.state, lane.reason, absent.asked) == ("absent", "no such thing", 0)
    assert not lane._thread.is_alive()
    assert sampler.facts() == {"a": "there"}


def test_what_fails_takes_no_other_with_it_and_says_so_once(make, caplog):
    """AGT-4: retried later with growing pauses; one warning, and a word when it works again."""
    clock, broken = Clock(), [True]

    def collect():
        if broken[0]:
            raise ZeroDivisionError("bad driver")
        return {"gpu.0.gpu": 5}

    failing = Source("failing", collect=collect)
    sampler = make(failing, Source("a", reading={"cpu": 1}), interval_s=15, clock=clock)
    asked = []
    with caplog.at_level(logging.INFO, "runyard_agent"):
        for _ in range(40):
            rows = sampler.sample()
            assert rows[-1]["system.cpu"] == 1
            asked.append(failing.asked)
            clock.now += 15
        broken[0] = False
        clock.now += 300
        assert sampler.sample()[-1]["system.gpu.0.gpu"] == 5
    attempts = [tick for tick in range(1, 40) if asked[tick] > asked[tick - 1]]
    pauses = [later - earlier for earlier, later in zip([0, *attempts], attempts)]
    assert pauses == [2, 4, 8, 16]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "bad driver" in caplog.records[0].getMessage()
    assert failing.closed == 5


def test_what_hangs_delays_nobody(make):
    """AGT-4: others' rows go out; what comes too late makes a row of its own, of its own moment."""
    go, clock = threading.Event(), Clock()

    def collect():
        go.wait(60)
        return {"gpu.0.gpu": 5}

    hanging = Source("hangs", collect=collect)
    sampler = make(hanging, Source("a", reading={"cpu": 1}), patience_s=1, clock=clock)
    begun = time.monotonic()
    assert [set(row) for row in sampler.sample()] == [{"_timestamp", "_runtime", "system.cpu"}]
    assert time.monotonic() - begun < 30
    assert sampler.lanes[0].state == "failing"
    clock.now += 15
    sampler.sample()
    assert hanging.asked == 1, "it is not asked while it has not answered"
    go.set()
    clock.now += 15
    while sampler.lanes[0].busy_since is not None:
        time.sleep(0.01)
    late, now = sampler.sample()
    assert (late["_runtime"], late["system.gpu.0.gpu"]) == (0, 5)
    assert now["_runtime"] == 30
    assert sampler.lanes[0].state == "works"


def test_a_tool_that_hangs_is_a_failure_of_its_collector(make, tool, tree):
    """AGT-7: through a real executable."""
    tool("rocm-smi", script="sleep 60")
    root = tree({"sys/module/amdgpu/initstate": "live"})
    sampler = make(Amd(root=root, timeout_s=0.2), Source("a", reading={"cpu": 1}), patience_s=30)
    begun = time.monotonic()
    assert sampler.sample()[-1]["system.cpu"] == 1
    assert time.monotonic() - begun < 30
    assert sampler.lanes[0].reason == "rocm-smi gave no answer in 0.2 s"


class Stop(threading.Event):
    """Waits by moving the clock."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock

    def wait(self, timeout=None):
        self.clock.now += timeout
        return self.is_set()


def test_it_samples_at_multiples_of_the_interval(make):
    """AGT-4: one row per interval, without drift; what is missed is not caught up."""
    clock = Clock()
    sampler, stop = (
        make(Source("a", reading={"cpu": 1}), interval_s=15, patience_s=5, clock=clock),
        Stop(clock),
    )
    runtimes, work = [], [3, 1, 40, 2, 0]

    def emit(row):
        runtimes.append(row["_runtime"])
        clock.now += work[len(runtimes) - 1]
        if len(runtimes) == len(work):
            stop.set()

    sampler.run(emit, stop)
    assert runtimes == [0, 15, 30, 75, 90]
