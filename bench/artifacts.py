"""Artifacts: bytes against nginx and in a bucket, many small files, a large manifest, other trackers’ own clients."""

import json
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.files import buckets, peers
from bench.files.nginx import Nginx
from bench.files.sending import (
    CONNECTIONS,
    Connection,
    Upload,
    get_all,
    path_of,
    put_all,
    seconds,
    uploads_of,
)
from bench.peers.meter import Meter
from tests.installation import Installation
from tests.sdk.drafts import Draft, begin, md5, of, urls
from tests.sdk.people import Person, person

LARGE_MIB = int(os.environ.get("BENCH_FILE_MIB", "512"))
SMALL_FILES, SMALL_BYTES = 10_000, 1_000
ENTRIES = 100_000
ROUNDS = 3
MIB = 1024 * 1024


def run(home: Path) -> None:
    """Print the five tables."""
    with (
        tempfile.TemporaryDirectory(dir=home) as folder,
        Nginx(Path(folder) / "nginx") as nginx,
        Installation(_folder(folder, "runyard")) as server,
        person(server, "bench-files") as ada,
    ):
        print(f"load {os.getloadavg()[0]:.1f}\n")
        _large(nginx, server, ada)
        draft, digests = _small(nginx, server, ada)
        _manifest(server, draft, digests)
    buckets.compare(
        home, large_mib=LARGE_MIB, small_files=SMALL_FILES, small_bytes=SMALL_BYTES, rounds=ROUNDS
    )
    _peers()


def _folder(parent: str, name: str) -> Path:
    path = Path(parent) / name
    path.mkdir()
    return path


def _large(nginx: Nginx, server: Installation, ada: Person) -> None:
    """Time one large file up and down, in turns, a new content each time."""
    times: dict[str, list[float]] = {}
    for number in range(ROUNDS):
        body = os.urandom(MIB) * LARGE_MIB
        draft = begin(ada, "bench", f"large-{number}", digest=f"large {number}")
        with Connection(nginx.port) as limit, Connection(server.port) as ours:
            _note(times, "nginx up", lambda: limit.put(Upload(f"/large-{number}", body)))  # noqa: B023
            upload = _uploads(draft, {"large": body})[0]
            _note(times, "runyard up", lambda: ours.put(upload))  # noqa: B023
            draft.describe({"large": of(body)})
            draft.commit()
            path = path_of(urls(ada, "bench", f"large-{number}:v0")["large"])
            _note(times, "nginx down", lambda: limit.get(f"/large-{number}"))  # noqa: B023
            _note(times, "runyard down", lambda: ours.get(path))  # noqa: B023
    print(f"One file of {LARGE_MIB} MiB, median of {ROUNDS}\n")
    print("| | nginx, MiB/s | Runyard, MiB/s | of nginx |\n|---|--:|--:|--:|")
    for way in ("up", "down"):
        limit_s, ours_s = (statistics.median(times[f"{name} {way}"]) for name in ("nginx", "runyard"))
        print(f"| {way} | {LARGE_MIB / limit_s:,.0f} | {LARGE_MIB / ours_s:,.0f} | {limit_s / ours_s:.2f} |")


def _note(times: dict[str, list[float]], name: str, work: Callable[[], object]) -> None:
    times.setdefault(name, []).append(seconds(work))


def _small(nginx: Nginx, server: Installation, ada: Person) -> tuple[Draft, list[tuple[str, int]]]:
    """Time many small files; returns the draft that has them, with their digests and sizes."""
    bodies = {f"{number // 100}/{number}": os.urandom(SMALL_BYTES) for number in range(SMALL_FILES)}
    draft = begin(ada, "bench", "small")
    addressed: list[Upload] = []
    limit_s = seconds(
        lambda: put_all(nginx.port, [Upload(f"/small/{name}", body) for name, body in bodies.items()])
    )
    addresses_s = seconds(lambda: addressed.extend(_uploads(draft, bodies)))
    up_s = seconds(lambda: put_all(server.port, addressed))
    whole = begin(ada, "bench", "small-whole", digest="small")
    digests = {name: of(body) for name, body in bodies.items()}
    whole.describe(digests)
    whole.commit()
    limit_down_s = seconds(lambda: get_all(nginx.port, [f"/small/{name}" for name in bodies]))
    found: dict[str, str] = {}
    listed_s = seconds(lambda: found.update(urls(ada, "bench", "small-whole:v0")))
    down_s = seconds(lambda: get_all(server.port, [path_of(url) for url in found.values()]))
    print(f"\n{SMALL_FILES:,} files of {SMALL_BYTES:,} bytes, {CONNECTIONS} connections\n")
    print("| | nginx, files/s | Runyard, files/s | of nginx | their addresses, s |\n|---|--:|--:|--:|--:|")
    for way, least, ours, addresses, count in (
        ("up", limit_s, up_s, addresses_s, SMALL_FILES), ("down", limit_down_s, down_s, listed_s, len(found)),
    ):  # fmt: skip
        print(
            f"| {way} | {SMALL_FILES / least:,.0f} | {count / ours:,.0f} | {count / ours * least / SMALL_FILES:.2f} |"
            f" {addresses:.1f} |"
        )
    return draft, list(digests.values())


def _uploads(draft: Draft, bodies: dict[str, bytes]) -> list[Upload]:
    """Ask for their addresses, which takes their digests first."""
    _port, uploads = uploads_of(
        draft, list(bodies.values()), [(name, md5(body)) for name, body in bodies.items()]
    )
    return uploads


def _manifest(server: Installation, draft: Draft, digests: list[tuple[str, int]]) -> None:
    """Time a manifest that names each small file ten times, and its commit."""
    named = {f"{number // 1000}/{number}": digests[number % len(digests)] for number in range(ENTRIES)}
    text = json.dumps(named)
    with Meter([server.pid("web")]) as meter:
        before = meter.rss
        described_s = seconds(lambda: draft.describe(named))
        committed_s = seconds(draft.commit)
        grown = meter.peak_rss - before
    print(f"\nA manifest of {ENTRIES:,} files\n")
    print("| sent, s | committed, s | json.loads of it, s | the server's memory grew by, MB |")
    print("|--:|--:|--:|--:|")
    parsed_s = seconds(lambda: json.loads(text))
    print(f"| {described_s:.2f} | {committed_s:.2f} | {parsed_s:.2f} | {grown / 1e6:,.0f} |")


def _peers() -> None:
    """Log and download two folders by the clients of three trackers."""
    print("\nBy each tracker's own client, its start included\n")
    print("| | one file, up, s | down, s | small files, up, s | down, s |\n|---|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        one, many = _folder(folder, "one"), _folder(folder, "many")
        (one / "large").write_bytes(os.urandom(MIB) * LARGE_MIB)
        for number in range(SMALL_FILES):
            (many / str(number)).write_bytes(os.urandom(SMALL_BYTES))
        for name in peers.SYSTEMS:
            cells = [f"{figure:.1f}" for source in (one, many) for figure in _measured(name, source)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def _measured(name: str, source: Path) -> tuple[float, float]:
    try:
        return peers.measure(name, source)
    except RuntimeError as error:
        print(f"{name}: {error}")
        return float("nan"), float("nan")
