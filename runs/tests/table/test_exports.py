"""The runs table as a file (RUN-43)."""

import csv
import io
import json

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import cache

from runs.lifecycle import services as lifecycle
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _fresh_caches():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def project():
    project = ProjectFactory()
    texts = ["=1+1", "-x", "+y", "@z", "\ta", "plain, with \"quotes\"\nand lines"]  # fmt: skip
    for number, text in enumerate(texts):
        config = {"lr": {"value": 0.1 + number / 3}, "note": {"value": text}, "big": {"value": 1e308}}
        run = RunFactory(project=project, uid=f"r{number}", config_text=json.dumps(config), tags=["a,b", "c"])
        lifecycle.set_summary(run, json.dumps({"loss": -number / 7, "odd": float("nan")}))
    return project


@pytest.fixture
def read(client, project):
    client.force_login(make_member(project.team))

    def ask(kind, **params):
        reply = client.get(f"/{project.team.name}/{project.name}/runs.{kind}", params)
        assert reply.status_code == 200

        async def joined():
            return b"".join([piece async for piece in reply.streaming_content]).decode()

        return async_to_sync(joined)()

    return ask


def test_csv_has_every_run_in_order_with_exact_values(read):
    """RUN-43: full precision, all filtered rows, a head that programs read; formulas are made harmless."""
    text = read(
        "csv", filter="id != 'r0'", order="-config.lr", columns="id,config.lr,config.note,summary.loss,tags"
    )
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["id", "config.lr", "config.note", "summary.loss", "tags"]
    assert [row["id"] for row in rows] == ["r5", "r4", "r3", "r2", "r1"]
    assert [float(row["config.lr"]) for row in rows] == [0.1 + number / 3 for number in (5, 4, 3, 2, 1)]
    assert [float(row["summary.loss"]) for row in rows] == [-number / 7 for number in (5, 4, 3, 2, 1)]
    assert [row["config.note"] for row in rows] == [
        'plain, with "quotes"\nand lines',
        "'\ta",
        "'@z",
        "'+y",
        "'-x",
    ]
    assert json.loads(rows[0]["tags"]) == ["a,b", "c"]


def test_without_columns_there_are_all(read):
    text = read("csv")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 6
    assert rows[0]["name"]
    assert (rows[0]["config.big"], rows[0]["summary.odd"]) == ("1e+308", "NaN")
    assert rows[0]["created"].endswith("Z")


def test_json_lines_are_exact(read):
    """RUN-43: one object a run; nothing is guarded, NaN is text."""
    rows = [
        json.loads(line)
        for line in read("jsonl", order="id", columns="id,config.note,summary.odd,tags").splitlines()
    ]
    assert [row["config.note"] for row in rows][:2] == ["=1+1", "-x"]
    assert rows[0] == {"id": "r0", "config.note": "=1+1", "summary.odd": "NaN", "tags": ["a,b", "c"]}


def test_a_filter_that_cannot_be_read_is_refused(client, project):
    client.force_login(make_member(project.team))
    reply = client.get(f"/{project.team.name}/{project.name}/runs.csv", {"filter": "state ="})
    assert reply.status_code == 400
