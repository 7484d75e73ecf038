"""History as a file: whole, exact, streamed (RUN-43)."""

import csv
import io
import json
import math

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from metrics.tests.ingest.test_ingest import post, send
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, basic, make_key, make_member
from tests.streams import body_of

pytestmark = pytest.mark.django_db

EXACT = 0.1 + 0.2
ROWS: list[dict[str, object]] = [
    {
        "_step": 0,
        "_timestamp": 10.5,
        "_runtime": 0.5,
        "loss": EXACT,
        "n": 1,
        "ok": True,
        "name": 'a "b"\nc,d',
    },
    {
        "_step": 1,
        "_timestamp": 11.5,
        "_runtime": 1.5,
        "loss": 1e-300,
        "n": 2**53 + 1,
        "opt": {"lr": 0.1, "k": [1, 2]},
    },
    {
        "_step": 2,
        "_timestamp": 12.5,
        "_runtime": 2.5,
        "loss": float("nan"),
        "img": {"_type": "image-file", "path": "x"},
    },
    {"_step": 3, "_timestamp": 13.5, "_runtime": 3.5, "loss": 2, "mixed": "text"},
    {"_step": 4, "_timestamp": 14.5, "_runtime": 4.5, "loss": float("inf"), "mixed": 7, "ok": None},
]


@pytest.fixture
def run():
    made = RunFactory(project=ProjectFactory(team=TeamFactory()))
    send(post(made, history=(0, ROWS[:3]), system=(0, [{"_timestamp": 1.0, "system.cpu": 12.5}])))
    send(post(made, history=(3, ROWS[3:])))
    return made


@pytest.fixture
def member(client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


def content(answer):
    assert answer.status_code == 200, answer.content

    return body_of(answer)


def get(client, run, form, kind="history"):
    args = [run.project.team.name, run.project.name, run.uid, kind, form]
    return content(client.get(reverse("metrics:run_export", args=args)))


def test_json_lines_are_the_rows_as_they_came(client, run, member):
    rows = [json.loads(line) for line in get(client, run, "jsonl").decode().splitlines()]
    wanted: list[dict[str, object]] = [{**row} for row in ROWS]
    wanted[2]["loss"], wanted[4]["loss"] = "NaN", "Infinity"  # JSON has no word for them
    assert rows == wanted
    assert rows[1]["n"] == 2**53 + 1


def test_csv_has_every_digit_and_a_column_for_each_key(client, run, member):
    rows = list(csv.DictReader(io.StringIO(get(client, run, "csv").decode())))
    assert list(rows[0])[:3] == ["_step", "_timestamp", "_runtime"]
    assert float(rows[0]["loss"]) == EXACT
    assert rows[0]["name"] == 'a "b"\nc,d'
    assert rows[1]["n"] == str(2**53 + 1)
    assert rows[1]["opt.lr"] == "0.1"
    assert json.loads(rows[1]["opt.k"]) == [1, 2]
    assert rows[2]["loss"] == "NaN"
    assert rows[4]["loss"] == "Infinity"
    assert json.loads(rows[2]["img"])["path"] == "x"
    assert rows[3]["ok"] == ""


def test_csv_runs_no_formula_that_somebody_logged(client, run, member):
    """The review's L3: neither of a value nor of a name."""
    send(
        post(
            run,
            history=(
                5,
                [{"_step": 5, "=1+1": 1, "name": '=HYPERLINK("https://evil.example")', "loss": -1.5}],
            ),
        )
    )
    rows = list(csv.DictReader(io.StringIO(get(client, run, "csv").decode())))
    assert rows[-1]["name"] == '\'=HYPERLINK("https://evil.example")'
    assert rows[-1]["'=1+1"] == "1"
    assert rows[-1]["loss"] == "-1.5"


def test_parquet_has_types_and_every_bit(client, run, member):
    table = pq.read_table(io.BytesIO(get(client, run, "parquet")))
    columns = table.to_pydict()
    assert columns["_step"] == [0, 1, 2, 3, 4]
    assert columns["loss"][:2] == [EXACT, 1e-300]
    assert math.isnan(columns["loss"][2])
    assert columns["n"] == [1, 2**53 + 1, None, None, None]
    assert columns["ok"] == [True, None, None, None, None]
    assert columns["mixed"] == [None, None, None, "text", "7"]
    assert str(table.schema.field("n").type) == "int64"


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_a_run_without_rows_gives_a_file_too(client, member, run, form):
    empty = RunFactory(project=run.project)
    assert isinstance(get(client, empty, form), bytes)


def test_system_metrics_come_the_same_way(client, run, member):
    assert json.loads(get(client, run, "jsonl", "system"))["system.cpu"] == 12.5


def test_rest_streams_by_key_and_hides_from_strangers(client, run, member):
    """RUN-43: everything of a page is in the REST API."""
    client.logout()
    path = f"/api/v1/runs/{run.pk}/history/"
    headers = {"Authorization": basic(make_key(member))}
    answer = client.get(path, {"format": "csv"}, headers=headers)
    assert answer["Content-Type"].startswith("text/csv")
    assert content(answer).startswith(b"_step,")
    assert content(client.get(path, headers=headers)).startswith(b"{")
    assert (
        content(client.get(f"/api/v1/runs/{run.pk}/system/", {"format": "parquet"}, headers=headers))[:4]
        == b"PAR1"
    )
    assert client.get(path, {"format": "xls"}, headers=headers).status_code == 404
    stranger = {"Authorization": basic(make_key(UserFactory()))}
    assert client.get(path, headers=stranger).status_code == 404


def test_other_kinds_and_formats_are_refused(client, run, member):
    for kind, form in [("history", "xls"), ("log", "csv")]:
        args = [run.project.team.name, run.project.name, run.uid, kind, form]
        assert client.get(reverse("metrics:run_export", args=args)).status_code == 400
