"""Samples everything at an interval. Each source has a thread of its own, so that one that hangs delays no other."""

from __future__ import annotations

import logging
import math
import queue
import threading
import time
from collections.abc import Iterable
from typing import Callable, NamedTuple, Union

from runyard_agent.collecting import Absent, Collector, Facts, Reading

logger = logging.getLogger(__name__)

Row = dict[str, Union[float, int]]
"""``system.<tag>`` by value, with ``_timestamp`` (UTC, s) and ``_runtime`` (s since the sampler began)."""

_LONGEST_PAUSE_S = 300.0
_PATIENCE_S = 5.0
"""How long a row waits for slow tools; what comes later makes a row of its own."""


class Answer(NamedTuple):
    lane: Lane
    at: float
    """Clock of the sampler when the reading was asked for."""
    reading: Reading


class Lane:
    """A collector, its thread, and how it fares: ``starting``, ``works``, ``absent`` or ``failing``."""

    def __init__(
        self,
        collector: Collector,
        answers: queue.SimpleQueue[Answer],
        *,
        interval_s: float,
        clock: Callable[[], float],
    ) -> None:
        self.collector = collector
        self.state, self.reason = "starting", ""
        self.facts: Facts = {}
        self.value_count = 0
        self.busy_since: float | None = None
        self._answers, self._interval_s, self._clock = answers, interval_s, clock
        self._questions: queue.SimpleQueue[float | None] = queue.SimpleQueue()
        self._started, self._failures, self._not_before = False, 0, -math.inf
        name = f"runyard-{collector.name}"
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def ask(self, at: float) -> bool:
        """Ask for a reading; False where there is nothing to ask now."""
        if self.state == "absent" or self.busy_since is not None or self._clock() < self._not_before:
            return False
        self.busy_since = at
        self._questions.put(at)
        return True

    def close(self, timeout_s: float) -> None:
        """End the collector; a hung one is left behind, its thread ends with the process."""
        self._questions.put(None)
        self._thread.join(timeout_s)

    def _serve(self) -> None:
        while self.state != "absent":
            at = self._questions.get()
            if at is None:
                break
            reading = self._attempt()
            self.busy_since = None
            self._answers.put(Answer(self, at, reading))
        self._end()

    def _attempt(self) -> Reading:
        """Read once, starting the collector if it has not or must anew."""
        try:
            if not self._started:
                self.collector.start()
                self._started = True
            reading = self.collector.collect()
            self.facts, self.value_count = self.collector.facts(), len(reading)
        except Absent as reason:
            if not self._failures:
                self.state, self.reason = "absent", str(reason)
            else:  # it was there, and may come back
                self._fail(reason)
            return {}
        except Exception as error:  # noqa: BLE001 - whatever a driver raises is its collector's failure alone
            self._fail(error)
            return {}
        if self._failures:
            logger.info("%s works again", self.collector.name)
        self.state, self.reason, self._failures = "works", "", 0
        return reading

    def _fail(self, error: Exception) -> None:
        self._failures += 1
        pause = min(self._interval_s * 2 ** min(self._failures, 20), _LONGEST_PAUSE_S)
        self._not_before = self._clock() + pause
        self.state, self.reason = "failing", str(error) or type(error).__name__
        if self._failures == 1:
            logger.warning("%s fails and is tried again later: %s", self.collector.name, self.reason)
        self._started = False
        self._end()

    def _end(self) -> None:
        try:
            self.collector.close()
        except Exception as error:  # noqa: BLE001 - closing what is broken may fail too
            logger.debug("%s can't be closed: %s", self.collector.name, error)


class Sampler:
    """Asks all collectors together and makes rows of what they answer.

    Args:
        label: tells several agents of one run apart, as in ``system.cpu/l:node-3``.
        clock: seconds that never jump; ``wall``, UTC seconds that may.
    """

    def __init__(
        self,
        collectors: Iterable[Collector],
        *,
        interval_s: float = 15.0,
        label: str = "",
        patience_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._interval_s, self._suffix = interval_s, f"/l:{label}" if label else ""
        self._patience_s = min(_PATIENCE_S, interval_s / 2) if patience_s is None else patience_s
        self._clock, self._wall = clock, wall
        self._answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._begun = clock()
        self.lanes = [Lane(each, self._answers, interval_s=interval_s, clock=clock) for each in collectors]

    def sample(self) -> list[Row]:
        """Return one row of all that answers in time, after rows of what came too late for the last one."""
        now = self._clock()
        waiting = {lane for lane in self.lanes if lane.ask(now)}
        readings: dict[float, Reading] = {now: {}}
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                left = max(deadline - time.monotonic(), 0) if waiting else 0
                answer = self._answers.get(timeout=left) if left else self._answers.get_nowait()
            except queue.Empty:
                break
            waiting.discard(answer.lane)
            readings.setdefault(answer.at, {}).update(answer.reading)
        for lane in waiting:
            lane.state, lane.reason = "failing", f"no answer for {self._patience_s:g} s"
        return [self._row(at, reading) for at, reading in sorted(readings.items()) if reading]

    def run(self, emit: Callable[[Row], None], stop: threading.Event) -> None:
        """Emit rows until told to stop, at multiples of the interval since the first; a late one is not caught up."""
        first, tick = self._clock(), 0
        while not stop.is_set():
            for row in self.sample():
                emit(row)
            tick = max(tick + 1, math.ceil((self._clock() - first) / self._interval_s))
            stop.wait(max(first + tick * self._interval_s - self._clock(), 0))

    def facts(self) -> Facts:
        """Return what all working collectors know; what the first one says of ``gpu`` counts."""
        facts: Facts = {}
        for lane in self.lanes:
            for name, value in lane.facts.items():
                facts.setdefault(name, value)
        return facts

    def close(self) -> None:
        for lane in self.lanes:
            lane.close(timeout_s=1.0)

    def _row(self, at: float, reading: Reading) -> Row:
        """Return a row of its moment, told by the wall clock now less what passed since."""
        row: Row = {
            "_timestamp": round(self._wall() - (self._clock() - at), 3),
            "_runtime": round(at - self._begun, 3),
        }
        for tag, value in reading.items():
            if math.isfinite(value):
                row[f"system.{tag}" if "/l:" in tag else f"system.{tag}{self._suffix}"] = value
        return row
