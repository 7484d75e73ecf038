"""CPU of the web process for a durable post over HTTP, beside an empty Django view and decoding, in one run."""

import asyncio
import os
import tempfile
import time
from base64 import b64encode
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from bench import world
from tests.installation import Installation
from tests.sdk.people import person

POSTS = 1600
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU seconds a process has used, all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


async def _send_all(port: int, requests: list[bytes]) -> list[float]:
    """Send requests one after the other over one connection; return the seconds to each answer, which must be 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    spent = []
    for request in requests:
        begin = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise SystemExit(f"refused: {head!r}")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        spent.append(time.perf_counter() - begin)
    writer.close()
    return spent


@dataclass(frozen=True)
class Sent:
    """What a number of requests cost."""

    cpu_us: float
    """Of the web process, each."""
    a_second: float
    p99_ms: float


def send(server: Installation, groups: list[list[bytes]]) -> Sent:
    """Send each group over a connection of its own, all at once."""

    async def go() -> list[list[float]]:
        return await asyncio.gather(*(_send_all(server.port, requests) for requests in groups))

    used, begin = cpu_s(server.pid("web")), time.perf_counter()
    spent = sorted(chain.from_iterable(asyncio.run(go())))
    wall_s, count = time.perf_counter() - begin, len(spent)
    used = cpu_s(server.pid("web")) - used
    return Sent(used / count * 1e6, count / wall_s, spent[int(count * 0.99)] * 1e3)


def request(method: str, path: str, body: bytes, key: str) -> bytes:
    """Return a request as it is sent."""
    login = b64encode(f"api:{key}".encode()).decode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {login}\r\nContent-Length: {len(body)}"
    return f"{head}\r\nContent-Type: application/json\r\n\r\n".encode() + body


def _decode_us() -> float:
    bodies = [world.body(number) for number in range(POSTS // 4)]
    begin = time.process_time()
    for body in bodies:
        world.decode_post(body)
    return (time.process_time() - begin) / len(bodies) * 1e6


def run(home: Path) -> None:
    """Print CPU microseconds and ratios."""
    decode = _decode_us()
    with (
        tempfile.TemporaryDirectory(dir=home) as folder,
        Installation(Path(folder)) as server,
        person(server, "bench-posts") as ada,
    ):
        print(f"decoding only               {decode:6.0f} us")
        for connections in (1, 16, 64):
            count = POSTS // connections
            runs = [ada.wire.begin("posts") for _ in range(connections)]
            bodies = [
                [world.body(number, seed=seed) for number in range(count)] for seed in range(connections)
            ]
            empty = [[request("GET", "/healthz", body, ada.key) for body in some] for some in bodies]
            posts = [
                [request("POST", run.stream, body, ada.key) for body in some]
                for run, some in zip(runs, bodies, strict=True)
            ]
            view, post = send(server, empty), send(server, posts)
            print(
                f"empty Django view, {connections:2d} at once {view.cpu_us:6.0f} us, {view.a_second:5.0f} a second"
            )
            print(
                f"durable post, {connections:2d} at once      {post.cpu_us:6.0f} us, {post.a_second:5.0f} a second,"
                f" p99 {post.p99_ms:3.0f} ms: {post.cpu_us / view.cpu_us:.2f} of the view,"
                f" {decode / post.cpu_us:.3f} of decoding"
            )
