"""AGT-9: the terminal's view of this host and of a run on the server."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import signal
import subprocess
import sys
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from recorded import PATIENCE_S
from rich.console import Console

from runyard_agent.drawing import frame
from runyard_agent.run_paths import run_path
from runyard_agent.settings import load
from runyard_agent.views import Point, View, as_data
from runyard_agent.words import duration


def view_of(
    now: dict[str, float], before: dict[str, float] | None = None, *, ages: dict[str, float] | None = None
) -> View:
    """Return a view 2 s after the one before; ``ages`` are of labels, at the moment 1000."""
    points = {
        tag: Point(1000 - (ages or {}).get(tag.partition("/l:")[2], 0), value) for tag, value in now.items()
    }
    earlier = {tag: Point(points[tag].at - 2, value) for tag, value in (before or {}).items()}
    return View("node-3", "Linux", points, earlier, {"host": "node-3"}, 1000 if ages else None)


def drawn(view: View, width: int) -> str:
    file = io.StringIO()
    Console(width=width, file=file).print(frame(view, width))
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 120])
def test_gpus_and_rates(width):
    """AGT-9: one line per GPU; counters as rates; nothing wider than the terminal."""
    now = {
        "system.network.sent": 4 * 1024**2,
        **{
            f"system.gpu.{gpu}.{name}": value
            for gpu in range(11)
            for name, value in (("gpu", 93.0), ("powerWatts", 611.4))
        },
        "system.gpu.0.temp": 58.0,
        "system.gpu.process.0.gpu": 12.0,
        "loss": 3.0,
    }
    text = drawn(view_of(now, {"system.network.sent": 0}), width)
    assert "2 MiB/s" in text
    assert text.count("93.0 %") == 11
    assert text.index("\n9 ") < text.index("\n10 ")
    assert "58 °C" in text
    assert "12.0 %" not in text
    assert max(map(len, text.splitlines())) <= width


def test_labels_are_groups_with_ages():
    """AGT-9, AGT-2: each host of a run has its own groups, and how old its last sample is."""
    now = {"system.gpu.0.gpu/l:node-4": 7.0, "system.gpu.0.gpu/l:node-3": 93.0, "system.cpu": 12.0}
    text = drawn(view_of(now, ages={"": 3, "node-3": 61, "node-4": 7300}), 100)
    assert (
        text.index("last sample 3 s ago")
        < text.index("node-3   last sample 1 min ago")
        < text.index("93.0 %")
    )
    assert text.index("93.0 %") < text.index("node-4   last sample 2 h ago") < text.index("7.0 %")


def test_groups_come_in_the_tables_order():
    """AGT-9: whatever was sampled first."""
    text = drawn(view_of({"system.gpu.0.gpu": 1.0, "system.memory_percent": 2.0, "system.cpu": 3.0}), 100)
    assert text.index("\nCPU\n") < text.index("\nMemory\n") < text.index("\nGPU\n")


def test_disks_stand_for_themselves_only_without_a_sum():
    """AGT-9: the SDK sends each disk, our agent their sum as well."""
    disks = {"system.disk.sda.in": 8.0, "system.disk.sdb.in": 8.0}
    before = dict.fromkeys([*disks, "system.disk.in"], 0.0)
    alone = drawn(view_of(disks, {tag: before[tag] for tag in disks}), 100)
    assert "Disk sda read" in alone
    summed = drawn(view_of({**disks, "system.disk.in": 16.0}, before), 100)
    assert "sda" not in summed
    assert "8 MiB/s" in summed


def test_a_counter_that_fell_has_no_negative_rate():
    """AGT-9: as after a restart of the agent."""
    data = as_data(view_of({"system.network.sent": 5.0}, {"system.network.sent": 100.0}))
    assert data["metrics"][0]["per_second"] == 0


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59, "59 s"), (90, "2 min"), (7200, "2 h"), (200_000, "2 d")]
)
def test_ages_in_words(seconds, words):
    assert duration(seconds) == words


RUN = {
    "id": 7, "entity": "physics", "project": "mnist", "uid": "first", "display_name": "brave-1", "state": "running",
    "host": "node-3", "heartbeat_at": "2026-11-22T10:00:00Z",
}  # fmt: skip


def serve_run(
    site: Any, values: dict[str, list[tuple[float, float]]], run: dict[str, Any] | None = None
) -> None:
    """Let the server have a run with system metrics: points of (timestamp, value) by key."""

    def series(points: list[tuple[float, float]]) -> dict[str, list[float]]:
        return {"timestamp": [at for at, _ in points], "last": [value for _, value in points]}

    base = "/api/v1/runs/"
    site.pages[base] = 200, json.dumps({"results": [{**RUN, **(run or {})}]})
    site.pages[f"{base}7/keys/"] = 200, json.dumps({"keys": [{"key": key} for key in values]})

    def asked(address: str) -> tuple[int, str]:
        keys = parse_qs(urlsplit(address).query)["keys"]
        return 200, json.dumps({"series": {key: series(values[key]) for key in keys}})

    site.pages[f"{base}7/series/"] = asked


def test_a_run_on_the_server(run, site):
    """AGT-9: state, values with units, rates of counters, hosts as groups, the age of the last sample."""
    now = time.time()
    serve_run(
        site,
        {
            "system.cpu/l:node-3": [(now - 20, 1.0), (now - 5, 12.5)],
            "system.network.sent/l:node-3": [(now - 20, 0.0), (now - 5, 15 * 1024.0)],
            "system.gpu.0.gpu/l:node-4": [(now - 100, 97.0)],
        },
    )
    done = run("top", "physics/mnist/first", "--once", "--url", site.url, RUNYARD_API_KEY="ry-key")
    assert done.returncode == 0, done.stderr
    for part in (
        "brave-1",
        "running",
        "physics/mnist/first",
        "12.5 %",
        "1 KiB/s",
        "node-4   last sample 2 min ago",
    ):
        assert part in done.stdout
    path, headers, _ = site.requests[0]
    assert path == "/api/v1/runs/?entity=physics&project=mnist&uid=first"
    assert headers["Authorization"] == "Basic YXBpOnJ5LWtleQ=="

    page = f"{site.url}/physics/mnist/runs/first/overview?x=1"
    done = run("top", page, "--once", "--json", "--label", "node-3", RUNYARD_API_KEY="ry-key")
    data = json.loads(done.stdout)
    assert data["run"]["state"] == "running"
    assert data["age_s"] == pytest.approx(5, abs=30)
    assert [(each["tag"], each["label"], each["value"], each["unit"]) for each in data["metrics"]] == [
        ("system.cpu/l:node-3", "node-3", 12.5, "%"),
        ("system.network.sent/l:node-3", "node-3", 15360.0, "bytes"),
    ]
    assert data["metrics"][1]["per_second"] == pytest.approx(1024)


def test_a_run_without_samples_says_so(run, site):
    """AGT-9: a run whose hardware nobody sampled."""
    serve_run(site, {}, {"state": "finished"})
    done = run("top", "physics/mnist/first", "--once", "--url", site.url, RUNYARD_API_KEY="k")
    assert "finished" in done.stdout
    assert "no samples yet" in done.stdout


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        (
            "physics/mnist/first",
            1,
            "the run physics/mnist/first does not exist, or this key has no access to it",
        ),
        ("a/b/c/d", 2, "a/b/c/d names no run: give entity/project/run, or the address of its page"),
        ("https://elsewhere.example.com/a/b/runs/c", 2, "the key is for that one alone"),
        ("https://elsewhere.example.com/a/b", 2, "is not the address of a run"),
    ],
)
def test_a_run_that_is_not_there_is_one_sentence(run, site, path, code, message):
    """AGT-9: no stack traces; a key goes only to the server it is for."""
    site.pages["/api/v1/runs/"] = 200, '{"results": []}'
    done = run("top", path, "--once", "--url", site.url, RUNYARD_API_KEY="k")
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("team/llm/run-1", ("", "team", "llm", "run-1")),
        ("llm/run-1", ("", "physics", "llm", "run-1")),
        ("run-1", ("", "physics", "mnist", "run-1")),
        (
            "https://ry.example.com/team/my%20llm/runs/run-1",
            ("https://ry.example.com", "team", "my llm", "run-1"),
        ),
        ("http://ry:8000/team/llm/runs/run-1/logs?x=1#y", ("http://ry:8000", "team", "llm", "run-1")),
        ("http://ry:8000/team/llm/runs/:../logs", ("http://ry:8000", "team", "llm", "..")),
        ("http://ry:8000/team/llm/runs/50%2541", ("http://ry:8000", "team", "llm", "50%41")),
        ("team/llm/50%41", ("", "team", "llm", "50%41")),
    ],
)
def test_ways_to_name_a_run(text, expected):
    """AGT-2, AGT-9: paths, completed by settings, and addresses of pages."""
    settings = load({"entity": "physics", "project": "mnist"}, environment={"RUNYARD_CONFIG": "/nonexistent"})
    assert run_path(text, settings) == expected


def test_a_server_that_is_away_is_one_sentence(run):
    """AGT-9: at the first look; later ones are tried again."""
    done = run("top", "a/b/c", "--once", "--url", "http://127.0.0.1:1", RUNYARD_API_KEY="k")
    assert done.returncode == 1
    assert "can't be reached" in done.stderr
    assert done.stderr.count("\n") == 1


def test_this_host_as_json(run):
    """AGT-9: what is drawn, for programs."""
    data = json.loads(run("top", "--once", "--json").stdout)
    assert data["host"]
    assert {"system.cpu", "system.memory_percent"} <= {each["tag"] for each in data["metrics"]}


def test_a_run_is_followed_through_an_outage(agent, site):
    """AGT-9: each look is a line; while the server is away the last values stay, with the reason."""
    now = time.time()
    serve_run(site, {"system.network.sent": [(now - 20, 0.0), (now - 10, 1000.0)]})
    process = agent(
        "top", "physics/mnist/first", "--json", "--interval", "0.1", "--url", site.url, RUNYARD_API_KEY="k"
    )
    first = json.loads(process.stdout.readline())
    assert first["metrics"][0]["per_second"] == pytest.approx(100)
    serve_run(site, {"system.network.sent": [(now - 10, 1000.0), (now, 3000.0)]})
    while (line := json.loads(process.stdout.readline()))["metrics"][0]["value"] != 3000:
        assert "note" not in line
    assert line["metrics"][0]["per_second"] == pytest.approx(200)
    site.pages.clear()
    while "note" not in (line := json.loads(process.stdout.readline())):
        pass
    assert "answered 404, unlike a Runyard server" in line["note"]
    assert line["metrics"][0]["value"] == 3000
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130


def test_on_a_terminal_it_redraws_and_leaves_it_as_it_was(environment):
    """AGT-9: on the alternate screen, until Ctrl-C."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "runyard_agent", "top", "--interval", "0.2"]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**environment, "TERM": "xterm", "COLUMNS": "80", "LINES": "40"},
    )  # fmt: skip
    os.close(theirs)
    seen, is_told = b"", False
    with contextlib.suppress(OSError):  # its end
        while data := os.read(ours, 65536):
            seen += data
            if seen.count(b"Memory") > 4 and not is_told:
                is_told = True
                process.send_signal(signal.SIGINT)
    os.close(ours)
    assert process.wait(PATIENCE_S) == 130
    assert seen.count(b"\x1b[?1049h") == seen.count(b"\x1b[?1049l") == 1
    assert b"Traceback" not in seen
