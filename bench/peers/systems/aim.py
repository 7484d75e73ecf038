"""Aim: `aim server` takes what is logged, `aim up` answers the pages; both on one folder."""

import array
import os
import struct
import subprocess
import urllib.parse
from collections.abc import Iterator

from bench.peers.data import TABLE_ROWS
from bench.peers.link import Ask, Link
from bench.peers.system import Server, System, Writer

QUIET = {"AIM_UI_TELEMETRY_ENABLED": "0"}
ALL = 3_000_000


class Sdk:
    """Its SDK, as a script uses it; with a folder in place of an address it writes there itself."""

    def __init__(self, where: str, run: str, config: dict[str, str], *, hardware: bool) -> None:
        from aim import Run

        quiet = {} if hardware else {"system_tracking_interval": None}
        self._run = Run(repo=where, experiment="bench", capture_terminal_logs=False, **quiet)
        self._run.name = run
        for key, value in config.items():
            self._run[key] = value

    def log(self, values: dict[str, float], step: int) -> None:
        self._run.track(values, step=step)

    def finish(self) -> None:
        self._run.close()


def pairs(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Read its binary tree: paths and typed values, each after its length."""
    at, parts = 0, []
    while at < len(body):
        (length,) = struct.unpack_from("<I", body, at)
        parts.append(body[at + 4 : at + 4 + length])
        at += 4 + length
    return zip(parts[::2], parts[1::2], strict=True)


class Bench(System):
    """Reads what its pages ask for."""

    packages = ("aim",)
    plan = {
        **dict.fromkeys(("ingest", "many-runs", "client"), (" sdk",)),
        **dict.fromkeys(("chart-100k", "chart-1m", "table-1k", "table-10k", "start"), ("",)),
    }
    load_mode = "local"

    @property
    def _env(self) -> dict[str, str]:
        return QUIET | {"PATH": f"{self.python().parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}

    def servers(self) -> list[Server]:
        aim, repo = self.program("aim"), ["--repo", str(self.data)]
        if not (self.data / ".aim").exists():
            command = [aim, "init", *repo, "-y"]
            subprocess.run(command, env=os.environ | self._env, check=True, capture_output=True)
        place = self.place
        takes = [aim, "server", *repo, "-h", "127.0.0.1", "-p", str(place.second_port), "-y"]
        shows = [aim, "up", *repo, "-h", "127.0.0.1", "-p", str(place.port), "-y"]
        return [
            Server("aim server", takes, place.second_port, env=self._env),
            Server("aim up", shows, place.port, "/", env=self._env),
        ]

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        os.environ |= QUIET
        remote = f"aim://127.0.0.1:{self.place.second_port}"
        return Sdk(str(self.data) if mode == "local" else remote, run, config, hardware=hardware)

    def _metric(self, run: str, metric: str, points: int) -> Ask:
        query = urllib.parse.quote(f'run.name == "{run}" and metric.name == "{metric}"')
        return Ask(f"/api/runs/search/metric/?p={points}&q={query}&report_progress=false")

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        return {name: _series(link.send(self._metric(run, name, ALL)).body) for name in names}

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return the page's request, and with as many points as others give."""
        return {
            "page (50 points)": self._metric(run, metric, 50),
            "500 points": self._metric(run, metric, 500),
        }

    def points(self, body: bytes) -> int:
        return len(_series(body))

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return its filter; it cannot sort, so that the client has to take all that match."""
        query = urllib.parse.quote('run.p00 == "v3" and run.metrics["m00"].last > 0.5')
        return {
            "filtered, sorted by the client": Ask(f"/api/runs/search/run/?q={query}&report_progress=false")
        }

    def pages(self) -> dict[str, Ask]:
        """Return what its page of runs asks first."""
        return {"page of runs (45 newest)": Ask("/api/runs/search/run/?limit=45&q=&report_progress=false")}

    def rows(self, body: bytes) -> list[str]:
        found = dict(pairs(body))
        order = []
        for path, value in found.items():
            if path.endswith(b"\xfename\xfe") and value[1:] == b"m01":
                last = found[path.removesuffix(b"name\xfe") + b"values\xfelast\xfe"]
                name = found[path.partition(b"\xfe")[0] + b"\xfeprops\xfename\xfe"]
                order.append((struct.unpack("<d", last[1:]), name[1:].decode()))
        return [name for _, name in sorted(order, reverse=True)][:TABLE_ROWS]


def _series(body: bytes) -> list[float]:
    """Return the values of the only metric of an answer; a value begins with a byte that says its type."""
    blobs = [value[1:] for path, value in pairs(body) if path.endswith(b"\xfevalues\xfeblob\xfe")]
    return array.array("d", b"".join(blobs)).tolist()
