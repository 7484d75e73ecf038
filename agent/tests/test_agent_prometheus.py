"""AGT-2: a watched host answers Prometheus: names, units and labels, and clients that mean no good."""

from __future__ import annotations

import re
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, suppress
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from recorded import PATIENCE_S, until

import fake_server
from nvml import GIB, Nvml
from runyard_agent.collectors.nvidia import Nvidia
from runyard_agent.delivery import Tally
from runyard_agent.exporting import Exporter
from runyard_agent.exposition import CONTENT_TYPE, Family, prometheus_name, text_of
from runyard_agent.metrics import METRICS
from runyard_agent.sampler import Sampler
from runyard_agent.scrapes import Scrapes
from runyard_agent.settings import SettingsError, load

UNITS = "ratio|bytes|bytes_per_second|watts|joules|celsius|hertz|seconds|lanes|transfers_per_second"


def values_in(page: str) -> dict[str, dict[tuple[tuple[str, str], ...], float]]:
    """Return values by sorted labels by name."""
    found: dict[str, dict[tuple[tuple[str, str], ...], float]] = {}
    for family in text_string_to_metric_families(page):
        assert family.documentation, family.name
        assert family.type == ("counter" if f"{family.name}_total" in page else "gauge"), family.name
        for sample in family.samples:
            labels = tuple(sorted(sample.labels.items()))
            assert labels not in found.setdefault(sample.name, {}), f"{sample.name} {labels} is there twice"
            found[sample.name][labels] = sample.value
    return found


def fetch(url: str) -> tuple[str, str]:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_names_follow_the_conventions_and_are_unique():
    """Lower case, base units last, counters with _total; one name for one metric of the table."""
    named = {metric.tag: prometheus_name(metric) for metric in METRICS}
    left_out = {tag for tag, name in named.items() if not name}
    assert left_out == {"disk.in", "disk.out", "openmetrics.{endpoint}.{metric}.{n}"}
    names = [name for name in named.values() if name]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        name = named[metric.tag]
        if not name:
            continue
        assert re.fullmatch(r"runyard(_[a-z0-9]+)+", name), name
        assert name.endswith("_total") is metric.cumulative, name
        has_unit = metric.unit not in {"", "count"}
        assert bool(re.search(rf"_({UNITS})(_total)?$", name)) is has_unit, name
        assert not re.search(r"_(mb|gb|percent)(_|$)|(_[a-z]+)\2(_|$)", name), name


def test_a_page_has_the_newest_values_in_base_units_with_the_uuids_of_gpus(tmp_path):
    """What the host told longest ago is gone; a value of another host has no UUID of ours."""
    sampler = Sampler([Nvidia(nvml=Nvml(), gpus=[1])])
    (first,) = sampler.sample()
    now = [first["_timestamp"]]
    settings = load({"spool_dir": str(tmp_path)}, environment={})
    exporter = Exporter(settings, sampler, Tally(), wall=lambda: now[0])
    exporter.take({**first, "system.memory_percent": 12, "system.gpu.1.temp/l:node-7": 40})
    exporter.take({**first, "_timestamp": now[0] + 100, "system.gpu.1.gpu": 57, 'system.disk./a"b\\.in': 3})
    sampler.close()
    found = values_in(exporter.page())
    gpu = (("gpu", "1"), ("uuid", "GPU-1"))
    assert found["runyard_gpu_utilization_ratio"] == {gpu: 0.57}
    assert found["runyard_gpu_memory_allocated_bytes"] == {gpu: 70 * GIB}
    assert found["runyard_gpu_sm_clock_hertz"] == {gpu: 1.83e9}
    assert found["runyard_gpu_temp_celsius"] == {gpu: 58, (("gpu", "1"), ("label", "node-7")): 40}
    assert found["runyard_memory_utilization_ratio"] == {(): 0.12}
    assert found["runyard_disk_in_bytes_total"] == {(("device", '/a"b\\'),): 3 * 2**20}
    assert found["runyard_agent_samples_taken_total"] == {(): 2}
    assert found["runyard_agent_collector_up"] == {(("collector", "nvidia"),): 1}
    now[0] += 350
    found = values_in(exporter.page())
    assert "runyard_memory_utilization_ratio" not in found
    assert found["runyard_gpu_utilization_ratio"] == {gpu: 0.57}


def test_a_watched_host_tells_prometheus_of_itself_and_of_the_agent(agent, fake):
    """As a fleet would set it up; nothing of it is served unless asked for."""
    process = agent(
        "host", "--interval", "0.1", "--without", "ipu", "--metrics-listen", "127.0.0.1:0",
        RUNYARD_URL=fake.url, RUNYARD_API_KEY=fake_server.KEY, RUNYARD_FINISH_TIMEOUT="10",
    )  # fmt: skip
    url = next(line.split()[-1] for line in process.stderr if "metrics for Prometheus at" in line)

    def whole():
        """Return the page once a sample was sent, and there were two: a ratio of CPU time lies between them."""
        page = values_in(fetch(url)[1])
        was_sent = page.get("runyard_agent_samples_sent_total", {}).get(())
        return page if was_sent and "runyard_cpu_utilization_ratio" in page else None

    found = until(whole)
    assert fetch(url)[0] == CONTENT_TYPE
    assert 0 <= found["runyard_cpu_utilization_ratio"][()] < 2
    assert found["runyard_disk_usage_bytes"][("path", "/"),] > 2**20
    assert found["runyard_agent_collector_up"][("collector", "host"),] == 1
    assert found["runyard_agent_last_send_timestamp_seconds"][()] == pytest.approx(time.time(), abs=60)
    assert found["runyard_agent_spool_bytes"][()] > 0
    assert found["runyard_agent_send_failures_total"][()] == 0
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    with pytest.raises(urllib.error.URLError):
        fetch(url)


def test_without_the_setting_nothing_listens_and_a_taken_port_is_said(run, tmp_path):
    """Off by default; a wrong setting ends with 2, by which systemd leaves it alone."""
    assert load(environment={}).metrics_listen == ""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = run("host", "--mode", "offline", RUNYARD_METRICS_LISTEN=address)
    assert done.returncode == 2
    assert f"runyard-agent: metrics_listen: {address} can't be used: Address already in use" in done.stderr
    for text in ("9400", "localhost:x", "localhost:70000"):
        with pytest.raises(SettingsError, match="HOST:PORT"):
            load({"metrics_listen": text}, environment={})


@pytest.fixture
def scrapes():
    page = text_of([Family("runyard_x", "Of x.", [({}, 1)])])
    pages = SimpleNamespace(make=lambda: page)
    made = Scrapes("127.0.0.1:0", lambda: pages.make(), threads=2, patience_s=0.5)
    made.start()
    yield SimpleNamespace(url=made.url, pages=pages, port=int(made.url.split(":")[2].partition("/")[0]))
    made.close()


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", b"200"),
        (b"HEAD /metrics?x=1 HTTP/1.0\r\n\r\n", b"200"),
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n", b"405"),
        (b"nonsense\r\n\r\n", b"400"),
        (b"\xff\x00 \r\n\r\n", b"400"),
    ],
)
def test_what_is_asked_is_answered(scrapes, asked, status):
    with socket.create_connection(("127.0.0.1", scrapes.port)) as client:
        client.sendall(asked)
        answer = client.makefile("rb").read()
    assert answer.split(b" ", 2)[1] == status
    assert (b"runyard_x 1.0" in answer) is asked.startswith(b"GET /metrics")


def test_clients_that_are_slow_or_endless_hold_nothing(scrapes):
    """More of them than there are threads: each is let go after its time, whatever it drips."""
    with ExitStack() as held:
        clients = [
            held.enter_context(socket.create_connection(("127.0.0.1", scrapes.port))) for _ in range(6)
        ]
        clients[0].sendall(b"x" * 20_000)
        dripping = threading.Event()
        held.callback(dripping.set)
        for client in clients[1:5]:
            threading.Thread(target=drip, args=(client, dripping), daemon=True).start()
        assert fetch(scrapes.url)[1].endswith("runyard_x 1.0\n")


def drip(client: socket.socket, over: threading.Event) -> None:
    """Ask for the metrics for ever."""
    with suppress(OSError):
        client.sendall(b"GET /metrics HTTP/1.1\r\nA: ")
        while not over.wait(0.05):
            client.sendall(b"a")


def test_a_fault_of_the_page_is_told_and_the_next_scrape_works(scrapes):
    page, scrapes.pages.make = scrapes.pages.make, lambda: 1 / 0
    for _ in range(3):
        with pytest.raises(urllib.error.HTTPError, match="500"):
            fetch(scrapes.url)
    scrapes.pages.make = page
    assert "runyard_x" in fetch(scrapes.url)[1]
