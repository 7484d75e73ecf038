"""What operators scrape from a real installation: exact numbers, from all of its processes."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from common.telemetry.definitions import REGISTRY
from config.env import ROOT
from tests.installation import Installation
from tests.monitoring import TOKEN, Values, scrape
from tests.sdk.people import Person, person
from tests.sdk.wire import Wire, history, row
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.processes
ON_POSTGRESQL = os.environ.get("RUNYARD_DATABASE_URL", "").startswith("postgres")


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with Installation(tmp_path_factory.mktemp("watched"), RUNYARD_METRICS_TOKEN=TOKEN) as installation:
        yield installation


@pytest.fixture(scope="module")
def ada(watched: Installation) -> Iterator[Person]:
    with person(watched, "ada") as made:
        yield made


def rise(before: Values, after: Values, prefix: str) -> Values:
    """Return by how much samples rose, those that did."""
    return {
        name: after[name] - before.get(name, 0.0)
        for name in after
        if name.startswith(prefix) and after[name] != before.get(name, 0.0)
    }


def post_rows(wire: Wire, count: int, rows: int = 10) -> None:
    run = wire.begin("watched")
    for number in range(count):
        steps = range(number * rows, (number + 1) * rows)
        reply = wire.post(run, history(number * rows, *(row(step, loss=1 / (step + 1)) for step in steps)))
        assert reply.status_code == 200


def test_three_posts_of_ten_rows_are_told_exactly(watched: Installation, ada: Person):
    before = scrape(watched)
    post_rows(ada.wire, 3)
    after = scrape(watched)
    assert rise(before, after, "runyard_ingest_posts_total") == {
        'runyard_ingest_posts_total{result="stored"}': 3
    }
    assert rise(before, after, "runyard_ingest_rows_total") == {
        'runyard_ingest_rows_total{kind="history"}': 30
    }
    assert rise(before, after, "runyard_ingest_points_total") == {
        'runyard_ingest_points_total{kind="history"}': 120  # _step, _timestamp, _runtime, loss
    }
    assert rise(before, after, "runyard_ingest_group_posts")["runyard_ingest_group_posts_sum"] == 3
    assert rise(before, after, "runyard_ingest_acknowledgement_duration_seconds_count") == {
        "runyard_ingest_acknowledgement_duration_seconds_count": 3
    }
    assert (
        rise(before, after, "runyard_http_requests_total")[
            'runyard_http_requests_total{status="2xx",surface="file_stream"}'
        ]
        == 3
    )


def test_the_bytes_of_posts_are_counted_as_they_came(watched: Installation, ada: Person):
    run = ada.wire.begin("watched")
    before = scrape(watched)
    body = b'{"files": {}}' + b" " * 1000
    assert ada.wire.post(run, body).status_code == 200
    assert rise(before, scrape(watched), "runyard_ingest_received_bytes_total") == {
        "runyard_ingest_received_bytes_total": len(body)
    }


def test_a_refused_post_is_counted_under_its_status(watched: Installation, ada: Person):
    run = ada.wire.begin("watched")
    before = scrape(watched)
    assert ada.wire.post(run, b"no JSON").status_code == 400
    after = scrape(watched)
    assert rise(before, after, "runyard_ingest_posts_total") == {
        'runyard_ingest_posts_total{result="400"}': 1
    }
    assert rise(before, after, "runyard_ingest_rows_total") == {}


def test_a_post_that_its_client_gives_up_is_told(watched: Installation, ada: Person):
    run = ada.wire.begin("watched")
    before = scrape(watched)
    key = b64encode(f"api:{ada.key}".encode()).decode()
    with socket.create_connection(("127.0.0.1", watched.port), timeout=PATIENCE_S) as link:
        head = f"POST {run.stream} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic {key}\r\n"
        link.sendall(head.encode() + b"Content-Length: 9\r\n\r\n{")
    aborted = 'runyard_ingest_posts_total{result="aborted"}'
    until(lambda: scrape(watched)[aborted] > before[aborted], "the aborted post")
    requests = rise(before, scrape(watched), 'runyard_http_requests_total{status="aborted"')
    assert requests == {'runyard_http_requests_total{status="aborted",surface="file_stream"}': 1}


def test_runs_are_counted_by_state(new_server: Callable[..., Installation]):
    server = new_server(RUNYARD_METRICS_TOKEN=TOKEN)
    with person(server, "ada") as ada:
        ada.wire.begin("watched")
        ada.wire.post(ada.wire.begin("watched"), {"complete": True, "exitcode": 0})
    found = scrape(server)
    assert {name: value for name, value in found.items() if name.startswith("runyard_runs") and value} == {
        'runyard_runs{state="running"}': 1,
        'runyard_runs{state="finished"}': 1,
    }


def test_the_worker_tells_of_its_tasks_and_of_the_schedule(watched: Installation):
    beat = 'runyard_tasks_total{outcome="success",task="common.tasks.beat_heartbeat"}'
    found = until(lambda: (seen := scrape(watched)).get(beat) and seen, "a heartbeat's task")
    assert found['runyard_task_duration_seconds_count{task="common.tasks.beat_heartbeat"}'] == found[beat]
    assert found["runyard_worker_heartbeat_timestamp_seconds"] > 0
    assert found["runyard_tasks_queued"] >= 0


@pytest.mark.parametrize("process", ["web", "worker"])
def test_every_kind_of_process_tells_what_it_takes(watched: Installation, process: str):
    memory = f'runyard_process_resident_memory_bytes{{process="{process}"}}'
    found = until(lambda: (seen := scrape(watched)).get(memory) and seen, memory)
    assert found[f'runyard_processes{{process="{process}"}}'] == 1
    assert 2**20 < found[memory] < 2**32
    assert found[f'runyard_process_cpu_seconds_total{{process="{process}"}}'] >= 0


def test_every_part_of_the_answer_can_be_read(watched: Installation):
    found = scrape(watched)
    parts = {name: value for name, value in found.items() if name.startswith("runyard_reading_up")}
    assert parts == {
        f'runyard_reading_up{{reading="{name}"}}': 1
        for name in ("alerts", "build", "runs", "store", "worker")
    }


def test_the_answer_is_for_token_bearers_only(watched: Installation):
    assert watched.get("/metrics")[0] == 401
    assert watched.get("/metrics", {"Authorization": f"Bearer {TOKEN}x"})[0] == 401


def test_what_packing_does_is_told(watched: Installation, ada: Person):
    before = scrape(watched)
    run = ada.wire.begin("watched")
    rows = [row(step, loss=step) for step in range(5000)]
    assert ada.wire.post(run, history(0, *rows)).status_code == 200
    packed = until(
        lambda: rise(before, scrape(watched), "runyard_packing").get("runyard_packing_rows_total"),
        "packing, every 20 s",
    )
    after = scrape(watched)
    assert packed == 5000
    assert rise(before, after, "runyard_packing_segments_total") == {
        'runyard_packing_segments_total{source="pack"}': 1
    }
    assert after["runyard_packing_failures_total"] == 0


def post_rows_over_new_connections(server: Installation, by: Person) -> None:
    """Give both web processes something to do."""
    wire = Wire(server.url, by.key)
    post_rows(wire, 3)
    wire.http.close()


def children_of(pid: int) -> list[int]:
    return [child.pid for child in psutil.Process(pid).children()]


@pytest.mark.dialect
@pytest.mark.skipif(not ON_POSTGRESQL, reason="several web processes need PostgreSQL")
def test_several_web_processes_add_up_and_a_killed_one_leaves_only_counts(
    new_server: Callable[..., Installation],
):
    server = new_server(RUNYARD_METRICS_TOKEN=TOKEN, WEB_CONCURRENCY="2")
    both = 'runyard_processes{process="web"}'
    stored = 'runyard_ingest_posts_total{result="stored"}'
    memory = 'runyard_process_resident_memory_bytes{process="web"}'
    until(lambda: scrape(server).get(both) == 2, "two web processes")

    with person(server, "ada") as ada, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: post_rows_over_new_connections(server, ada), range(8)))
    before = scrape(server)
    assert before[stored] == 24
    assert before['runyard_ingest_rows_total{kind="history"}'] == 240

    measured = server.home / "measured"
    web = [pid for pid in children_of(server.pid("web")) if (measured / f"counter_{pid}.db").exists()]
    assert len(web) == 2
    os.kill(web[0], signal.SIGKILL)
    until(
        lambda: scrape(server) and not list(measured.glob(f"*_{web[0]}.db")),
        "no file of a dead one",
    )
    until(lambda: scrape(server)[both] == 2, "uvicorn to start another")
    after = scrape(server)
    assert after[stored] == 24
    assert after['runyard_process_starts_total{process="web"}'] == 3
    assert after[memory] < 1.6 * before[memory]


DOCS = ROOT / "docs" / "operate"
OURS = re.compile(r"runyard_[a-z_]+")


def names_of_samples(server: Installation) -> set[str]:
    """Return what can be asked for in PromQL; a histogram's own name cannot."""
    suffixes = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
    counted = {family.name + suffix for family in REGISTRY.collect() for suffix in suffixes[family.type]}
    return counted | {name.partition("{")[0] for name in scrape(server)}


def test_the_dashboard_asks_only_for_what_there_is(watched: Installation):
    panels = json.loads((DOCS / "grafana-dashboard.json").read_text())["panels"]
    asked = {
        name
        for panel in panels
        for target in panel.get("targets", ())
        for name in OURS.findall(target["expr"])
    }
    assert asked
    assert asked - names_of_samples(watched) == set()


def test_the_dashboard_asks_the_chosen_data_source_and_draws_nothing_over_another():
    board = json.loads((DOCS / "grafana-dashboard.json").read_text())
    places: set[tuple[int, int]] = set()
    for panel in board["panels"]:
        place = panel["gridPos"]
        cells = {(place["x"] + x, place["y"] + y) for x in range(place["w"]) for y in range(place["h"])}
        assert not places & cells, panel["title"]
        places |= cells
        for asking in [panel, *panel.get("targets", ())] if panel["type"] != "row" else []:
            assert asking["datasource"]["uid"] == "${datasource}", panel["title"]
    assert [variable["name"] for variable in board["templating"]["list"]] == ["datasource", "job"]


def test_the_page_and_the_server_name_the_same_measurements(watched: Installation):
    page = (DOCS / "monitor.md").read_text()
    samples = names_of_samples(watched)
    histograms = {family.name for family in REGISTRY.collect() if family.type == "histogram"}
    assert set(OURS.findall(page)) - samples - histograms == set()
    described = {name for line in page.splitlines() if line.startswith("| `") for name in OURS.findall(line)}
    parts = {f"{name}{suffix}" for name in histograms for suffix in ("_bucket", "_sum", "_count")}
    assert (samples | histograms) - parts - described == set()


RULES = DOCS / "prometheus-rules.yml"


def alerts() -> dict[str, dict[str, Any]]:
    """Return the rules by the names of their alerts."""
    return {
        rule["alert"]: rule
        for group in yaml.safe_load(RULES.read_text())["groups"]
        for rule in group["rules"]
    }


def test_alerts_ask_only_for_what_there_is_and_the_page_says_what_to_do(watched: Installation):
    rules = alerts()
    asked = {name for rule in rules.values() for name in OURS.findall(rule["expr"])}
    assert asked - names_of_samples(watched) == set()
    for name, rule in rules.items():
        assert rule["labels"]["severity"] in {"page", "ticket"}, name
        assert set(rule["annotations"]) == {"summary", "description"}, name
    rows = re.findall(r"^\| `(Runyard\w+)` \| .+ \|$", (DOCS / "monitor.md").read_text(), re.MULTILINE)
    assert rows == list(rules)


POSTS, SECONDS = (
    "runyard_ingest_posts_total",
    'runyard_ingest_acknowledgement_duration_seconds_bucket{le="%s"}',
)
HEARTBEAT = "runyard_worker_heartbeat_timestamp_seconds"
READS = 'runyard_replica_requests_total{outcome="%s"}'
WRONG_AND_RIGHT: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "RunyardDown": ({'up{job="runyard"}': "0x240"}, {'up{job="runyard"}': "1x240"}),
    "RunyardStoresNothing": ({f'{POSTS}{{result="503"}}': "0+1x240"}, {f'{POSTS}{{result="503"}}': "0x240"}),
    "RunyardRefusesPosts": (
        {f'{POSTS}{{result="410"}}': "0+6x240", f'{POSTS}{{result="stored"}}': "0+94x240"},
        {f'{POSTS}{{result="410"}}': "0+4x240", f'{POSTS}{{result="stored"}}': "0+96x240"},
    ),
    "RunyardAcknowledgesSlowly": (
        {SECONDS % "1": "0+97x240", SECONDS % "5": "0+100x240", SECONDS % "+Inf": "0+100x240"},
        {SECONDS % "1": "0+99x240", SECONDS % "5": "0+100x240", SECONDS % "+Inf": "0+100x240"},
    ),
    "RunyardQueueGrows": ({"runyard_ingest_queue_posts": "300x240"}, {"runyard_ingest_queue_posts": "300 0x240"}),
    "RunyardErrors": (
        {'runyard_http_requests_total{surface="rest",status="5xx"}': "0+6x240"},
        {'runyard_http_requests_total{surface="rest",status="5xx"}': "0+1x240"},
    ),
    "RunyardDatabaseFails": (
        {'runyard_database_errors_total{work="http"}': "0+1x240"},
        {'runyard_database_errors_total{work="http"}': "9x240"},
    ),
    "RunyardReplicaUnused": (
        {READS % "replica": "0+4x240", READS % "behind": "0+6x240", READS % "repeated": "0+9x240"},
        {READS % "replica": "0+6x240", READS % "behind": "0+4x240", READS % "repeated": "0+9x240"},
    ),
    "RunyardWorkerSilent": ({HEARTBEAT: "0x240"}, {HEARTBEAT: "0+60x240"}),
    "RunyardTasksWait": ({"runyard_tasks_queued": "101x240"}, {"runyard_tasks_queued": "100x240"}),
    "RunyardTaskFails": (
        {'runyard_tasks_total{task="a",outcome="failure"}': "0+1x240"},
        {'runyard_tasks_total{task="a",outcome="success"}': "0+1x240"},
    ),
    "RunyardPackingFails": ({"runyard_packing_failures_total": "0+1x240"}, {"runyard_packing_failures_total": "1x240"}),
    "RunyardPackingBehind": ({"runyard_packing_due_streams": "51x240"}, {"runyard_packing_due_streams": "0+1x239 0"}),
    "RunyardAlertsLate": (
        {"runyard_alert_oldest_waiting_seconds": "301x240"}, {"runyard_alert_oldest_waiting_seconds": "300x240"},
    ),
    "RunyardAlertsFail": (
        {'runyard_alert_messages_total{kind="slack",outcome="failed"}': "0+1x240"},
        {'runyard_alert_messages_total{kind="slack",outcome="sent"}': "0+1x240"},
    ),
    "RunyardReadingFails": (
        {'runyard_reading_up{reading="store"}': "0x240"}, {'runyard_reading_up{reading="store"}': "1x240"},
    ),
    "RunyardProcessesDie": (
        {'runyard_process_starts_total{process="web"}': "0+1x240"},
        {'runyard_process_starts_total{process="web"}': "4x240"},
    ),
    "RunyardVersionsDiffer": (
        {f'runyard_build_info{{version="{version}"}}': "1x240" for version in ("1", "2")},
        {f'runyard_build_info{{version="1",instance="{host}"}}': "1x240" for host in ("a", "b")},
    ),
}  # fmt: skip
"""For each alert what is measured, a value a minute for four hours, when it is to be sent and when not."""


@pytest.mark.skipif(shutil.which("promtool") is None, reason="Prometheus is not installed")
def test_each_alert_is_sent_when_something_is_wrong_and_only_then(tmp_path: Path):
    assert list(WRONG_AND_RIGHT) == list(alerts())
    ask = 'count by (alertname) (ALERTS{{alertname="{}",alertstate="firing"}})'
    tests = [
        {
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [{
                "expr": ask.format(alert),
                "eval_time": "4h",
                "exp_samples": [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if is_wrong else [],
            }],
        }
        for alert, both in WRONG_AND_RIGHT.items() for is_wrong, series in zip((True, False), both, strict=True)
    ]  # fmt: skip
    file = tmp_path / "tests.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    done = subprocess.run(
        ["promtool", "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
