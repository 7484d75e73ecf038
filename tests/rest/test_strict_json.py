"""MET-3, RUN-43: whatever is sent or downloaded as JSON is JSON (RFC 8259), with NaN and infinities in the run.

Go, JSON.parse and others refuse Python's bare words. REST, exports and archives have them as the texts "NaN",
"Infinity" and "-Infinity"; charts do, too, and null is what is missing.
"""

import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.test import Client

from access.actions import Preset
from accounts.models import User
from alerts.payloads.templating import fill
from exports import services
from exports.tasks import make_exports
from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.models import Run
from storage.filesystem import path_of
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, basic, make_key, make_member
from tests.streams import body_of

pytestmark = pytest.mark.django_db

NAN, INF = float("nan"), float("inf")
RUN = "/vision/odd/runs/r1"
CONFIG = '{"lr": {"value": NaN}, "deep": {"value": {"a": [1, -Infinity]}}}'
SUMMARY = '{"loss": NaN, "best": Infinity, "deep": {"x": [NaN]}}'


@pytest.fixture
def admin(tmp_path: Any, settings: Any) -> User:
    settings.BLOB_ROOT = tmp_path / "blobs"
    team = TeamFactory(name="vision")
    return make_member(team, Preset.ADMIN, username="ada")


@pytest.fixture
def run(admin: User) -> Run:
    team = admin.memberships.get(team__name="vision").team
    run = RunFactory(project=ProjectFactory(team=team, name="odd"), uid="r1", user=admin, config_text=CONFIG)
    rows = [
        {"_step": 0, "_timestamp": 1.0, "loss": NAN, "deep": {"x": [NAN, None]}},
        {"_step": 1, "_timestamp": 2.0, "loss": INF, "pr": 0.5},
        {"_step": 2, "_timestamp": 3.0, "loss": 0.25, "none": None},
    ]
    system = (0, [{"_timestamp": 1.0, "system.gpu.0.temp": NAN}])
    write_group([post(run, history=(0, rows), system=system, summary=SUMMARY)])
    return Run.objects.get(pk=run.pk)


def strictly(text: str) -> Any:
    """Read JSON as others do."""

    def refuse(word: str) -> Any:
        raise AssertionError(f"{word} is no JSON: {text[:500]}")

    return json.loads(text, parse_constant=refuse)


ANSWERS = [
    f"{RUN}/values/config?raw", f"{RUN}/values/summary?raw", f"{RUN}/values/config", f"{RUN}/values/summary",
    f"{RUN}/keys", f"{RUN}/keys?kind=system", f"{RUN}/media/keys",
    f"{RUN}/media/values?keys=deep.x", "/vision/odd/series?keys=loss&run=r1", "/vision/odd/keys",
    "/vision/odd/values?keys=config.lr&keys=summary.best&run=r1",
    "/vision/odd/runs?part=filter&text=summary.best<1e999",
    "/api/v1/runs/{pk}/", "/api/v1/runs/{pk}/keys/", "/api/v1/runs/{pk}/series/?keys=loss",
    "/api/v1/runs/?project=odd&columns=config.lr,summary.best,summary.loss",
]  # fmt: skip
"""What scripts of pages and programs fetch."""
LINES = [
    f"{RUN}/export/history.jsonl", f"{RUN}/export/system.jsonl", "/vision/odd/runs.jsonl",
    "/api/v1/runs/{pk}/history/", "/api/v1/runs/{pk}/system/",
]  # fmt: skip
"""What is downloaded as JSON lines."""


@pytest.mark.parametrize("path", ANSWERS)
def test_answers(client: Client, admin: User, run: Run, path: str):
    client.force_login(admin)
    reply = client.get(path.format(pk=run.pk), headers={"Accept": "application/json"})
    assert reply.status_code == 200, reply.content
    strictly(reply.content.decode())


@pytest.mark.parametrize("path", LINES)
def test_lines(client: Client, admin: User, run: Run, path: str):
    client.force_login(admin)
    reply = client.get(path.format(pk=run.pk), headers={"Accept": "application/x-ndjson"})
    assert reply.status_code == 200
    assert [strictly(line) for line in body_of(reply).decode().splitlines()]


def test_history_says_which_number_it_was(client: Client, admin: User, run: Run):
    """As REST does of config and summary: not null, as which it could not be told from what is missing."""
    client.force_login(admin)
    lines = body_of(client.get(f"{RUN}/export/history.jsonl")).decode().splitlines()
    first, second, last = map(strictly, lines)
    assert (first["loss"], first["deep"]["x"]) == ("NaN", ["NaN", None])
    assert (second["loss"], second["pr"]) == ("Infinity", 0.5)
    assert (last["loss"], last["none"]) == (0.25, None)
    config = strictly(client.get(f"{RUN}/values/config?raw").content.decode())
    assert config == {"lr": "NaN", "deep": {"a": [1, "-Infinity"]}}
    cells = body_of(client.get(f"{RUN}/export/history.csv")).decode().splitlines()
    assert '"[""NaN"", null]"' in cells[1]


def test_pages_hold_strict_json_and_show_the_word(client: Client, admin: User, run: Run):
    """Runs D19: the data of scripts inside pages, too."""
    client.force_login(admin)
    for path in (f"{RUN}/overview", RUN, "/vision/odd", "/vision/odd/runs"):
        page = client.get(path, headers={"Accept": "text/html"}).content.decode()
        found = re.findall(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        assert found or path == RUN
        for text in found:
            strictly(text)
    assert '["lr", "float", "NaN"]' in client.get(f"{RUN}/overview").content.decode()


def test_an_archive(admin: User, run: Run):
    """TEAM-12."""
    export = services.request_export(actor=actor(admin), team=run.project.team)
    make_exports()
    export.refresh_from_db()
    assert export.blob is not None, export.error
    archive = zipfile.ZipFile(io.BytesIO(path_of(export.blob.location).read_bytes()))
    documents = [name for name in archive.namelist() if name.endswith((".json", ".jsonl"))]
    assert len(documents) > 8
    for name in documents:
        text = archive.read(name).decode()
        for one in text.splitlines() if name.endswith(".jsonl") else [text]:
            strictly(one)
    config = strictly(archive.read(f"projects/odd/runs/{run.pk}/config.json").decode())
    assert config["lr"] == {"value": "NaN"}


def test_graphql(client: Client, admin: User, run: Run):
    """The texts in it are the SDK's own, which reads what it writes."""
    query = """{ project(name: "odd", entityName: "vision") { run(name: "r1") {
      config summaryMetrics historyKeys sampledHistory(specs: ["{\\"keys\\": [\\"loss\\"]}"]) } } }"""
    reply = client.post(
        "/graphql", {"query": query}, content_type="application/json",
        headers={"Authorization": basic(make_key(admin))},
    )  # fmt: skip
    assert "errors" not in strictly(reply.content.decode())


@pytest.mark.parametrize("payload", ['{"v": ${metric_value}}', '{"v": "${metric_value}"}'])
@pytest.mark.parametrize("value", [NAN, INF, "NaN", "-Infinity", 1.5])
def test_webhooks(payload: str, value: Any):
    """ALR-7."""
    strictly(fill(payload, {"metric_value": value}))
