"""The simulated runs: one connection each, kept alive, HTTP by hand, everything on one event loop."""

import asyncio
import contextlib
import random
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.load.bodies import EVERY_S, LINES, Bodies

PATIENCE_S = 60.0
RETRY_S = 2.0
"""The SDK's first pause."""


@dataclass(slots=True)
class SimulatedRun:
    """One run and what of it was acknowledged."""

    pk: int
    path: str
    key: str
    posts: int = 0
    """Acknowledged."""
    is_waiting: bool = False
    """For its next post, not for an answer."""
    link: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    @property
    def rows(self) -> int:
        """How many lines of history were acknowledged."""
        return self.posts * LINES


@dataclass(slots=True)
class Window:
    """What was seen since it began."""

    began_at: float = field(default_factory=time.monotonic)
    cpu_began_s: float = field(default_factory=time.process_time)
    latencies: list[float] = field(default_factory=list)
    """Seconds from the first byte written to the answer."""
    late: list[float] = field(default_factory=list)
    """Seconds that posts began after their time: the client's own slowness."""
    refused: Counter[int] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Connections that ended, or answers that did not come."""


def percentile(values: Sequence[float], percent: float) -> float:
    """Return a percentile; 0 of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else 0.0


class Client:
    """Posts for all runs."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._bodies = Bodies()
        self._tasks: dict[asyncio.Task[None], SimulatedRun] = {}
        self._chance = random.Random(0)  # noqa: S311 - phases of a benchmark
        self._is_over = False
        self.window = Window()

    def next_window(self) -> Window:
        """Begin a new window; return the last."""
        ended, self.window = self.window, Window()
        return ended

    def add(self, runs: Sequence[SimulatedRun]) -> None:
        """Let runs post from now on, each at a phase of its own."""
        now = time.monotonic()
        for run in runs:
            task = asyncio.create_task(self._log(run, now + self._chance.uniform(0, EVERY_S)))
            self._tasks[task] = run

    async def finish(self) -> None:
        """Let the posts under way be answered and end the rest."""
        self._is_over = True
        for task, run in self._tasks.items():
            if run.is_waiting:
                task.cancel()
        results = await asyncio.gather(*self._tasks, return_exceptions=True)
        failed = [error for error in results if isinstance(error, Exception)]
        self._tasks.clear()
        if failed:
            raise failed[0]

    async def age(self, runs: Sequence[SimulatedRun], most_rows: int, at_once: int = 4) -> None:
        """Give each run a past of up to so many rows, since those of a real installation are not all new."""
        waiting = list(runs)

        async def some() -> None:
            while waiting:
                run = waiting.pop()
                count = self._chance.randrange(most_rows // LINES)
                if count:
                    await self._deliver(run, self._bodies.render(0, count))
                    run.posts = count
                    self._hang_up(run)  # or the server does before the first post

        await asyncio.gather(*(some() for _ in range(at_once)))

    async def _log(self, run: SimulatedRun, due: float) -> None:
        try:
            while not self._is_over:
                run.is_waiting = True
                await asyncio.sleep(due - time.monotonic())
                run.is_waiting = False
                self.window.late.append(time.monotonic() - due)
                await self._deliver(run, self._bodies.render(run.posts))
                run.posts += 1
                due = max(due + EVERY_S, time.monotonic())
        finally:
            self._hang_up(run)

    async def _deliver(self, run: SimulatedRun, body: bytes) -> None:
        """Send until it is acknowledged, as the SDK does."""
        login = b64encode(f"api:{run.key}".encode()).decode()
        head = (
            f"POST {run.path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAuthorization: Basic {login}\r\n"
            f"User-Agent: wandb-core\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        while True:
            begin = time.monotonic()
            try:
                async with asyncio.timeout(PATIENCE_S):
                    status = await self._exchange(run, head, body)
            except (OSError, EOFError, TimeoutError) as error:
                self.window.lost[type(error).__name__] += 1
                self._hang_up(run)
            else:
                self.window.latencies.append(time.monotonic() - begin)
                if status == 200:
                    return
                self.window.refused[status] += 1
            await asyncio.sleep(RETRY_S)

    async def _exchange(self, run: SimulatedRun, head: bytes, body: bytes) -> int:
        if run.link is None:
            run.link = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = run.link
        writer.writelines((head, body))
        await writer.drain()
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = answer.partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        if b"\r\nconnection: close" in answer:
            self._hang_up(run)
        return int(answer[9:12])

    @staticmethod
    def _hang_up(run: SimulatedRun) -> None:
        if run.link is not None:
            with contextlib.suppress(OSError, RuntimeError):
                run.link[1].close()
            run.link = None
