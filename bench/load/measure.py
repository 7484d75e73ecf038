"""One window of the benchmark as a row: what the clients saw, what the processes used, what the database holds."""

import asyncio
import os
import time
from typing import Any

from bench.load import world
from bench.load.client import Client, Window, percentile
from bench.load.server import Server, Usage, busy_s

MB = 1e6
SERVER = ("web", "database", "worker", "redis")
"""What a post costs; the simulated runs are apart."""
LATE_MS = 100.0
"""Later than this, posts of the slowest hundredth begin where the simulated runs themselves lack a processor."""
HEADER = (
    "   time   runs posts/s refused lost   p50   p99   max ms | late ms |"
    " CPU web database worker redis client others starved s | ms a post | RSS web worker MB |"
    " tail rows  longest segments | disk MB   wal"
)


class Measure:
    """Ends a window and begins the next."""

    def __init__(self, server: Server, client: Client) -> None:
        self._server, self._client = server, client
        self._began_at = time.monotonic()
        self._usage = server.usage()
        self._busy_s = busy_s()

    def reset(self) -> None:
        """Forget what was since the last row."""
        self._client.next_window()
        self._usage, self._busy_s = self._server.usage(), busy_s()

    async def row(self, runs: int) -> dict[str, Any]:
        """Return the window that ends now, as it is printed and kept."""
        window = self._client.next_window()
        usage, busy = self._server.usage(), busy_s()
        seconds = time.monotonic() - window.began_at
        before, self._usage = self._usage, usage
        cpu = {name: usage[name].cpu_s - before.get(name, Usage()).cpu_s for name in usage}
        cpu["client"] = time.process_time() - window.cpu_began_s
        cpu["others"] = max(0.0, busy - self._busy_s - sum(cpu.values()))
        seen = seen_by_clients(window, seconds)
        starved = usage["web"].starved_s - before.get("web", Usage()).starved_s
        self._busy_s = busy
        found = await asyncio.to_thread(world.look)
        disk = await asyncio.to_thread(self._server.disk_bytes)
        return {
            "at_s": round(time.monotonic() - self._began_at, 1),
            "runs": runs,
            "web_processes": self._server.web_processes,
            **seen,
            "server_ms_a_post": round(sum(cpu[name] for name in SERVER) / max(1, seen["posts"]) * 1e3, 2),
            "cpu_s": {name: round(value, 2) for name, value in cpu.items()},
            "starved_s": round(starved, 2),
            "rss_bytes": {name: value.rss_bytes for name, value in usage.items()},
            **found,
            "disk_bytes": disk,
            "machine_load": round(os.getloadavg()[0], 2),
        }


def is_client_saturated(row: dict[str, Any]) -> bool:
    """Say whether a row tells how slow the simulated runs are, not the server."""
    return bool(row["client_late_p99_ms"] > LATE_MS)


def seen_by_clients(window: Window, seconds: float) -> dict[str, Any]:
    """Return posts and latencies of a window."""
    return {
        "seconds": round(seconds, 2),
        "posts": len(window.latencies) - sum(window.refused.values()),
        "posts_per_s": round(len(window.latencies) / seconds, 1),
        "refused": dict(window.refused),
        "lost": dict(window.lost),
        "p50_ms": round(percentile(window.latencies, 50) * 1e3, 1),
        "p99_ms": round(percentile(window.latencies, 99) * 1e3, 1),
        "max_ms": round(max(window.latencies, default=0.0) * 1e3, 1),
        "client_late_p99_ms": round(percentile(window.late, 99) * 1e3, 1),
    }


def line_of(row: dict[str, Any]) -> str:
    """Return a row as it is printed under `HEADER`."""
    cpu, rss, disk = row["cpu_s"], row["rss_bytes"], row["disk_bytes"]
    return (
        f"{row['at_s']:7.0f} {row['runs']:6d} {row['posts_per_s']:7.1f} {sum(row['refused'].values()):7d}"
        f" {sum(row['lost'].values()):4d} {row['p50_ms']:5.0f} {row['p99_ms']:5.0f}"
        f" {row['max_ms']:5.0f}    | {row['client_late_p99_ms']:6.0f}{'*' if is_client_saturated(row) else ' '} |"
        f" {cpu['web']:7.1f} {cpu['database']:8.1f} {cpu['worker']:6.1f} {cpu['redis']:5.1f}"
        f" {cpu['client']:6.1f} {cpu['others']:6.1f} {row['starved_s']:7.1f}   | {row['server_ms_a_post']:9.1f} |"
        f" {rss['web'] / MB:7.0f} {rss['worker'] / MB:6.0f}    | {row['tail_rows']:9d} {row['longest_tail']:8d}"
        f" {row['segments']:8d} | {sum(disk.values()) / MB:7.0f} {disk['wal'] / MB:5.0f}"
    )
