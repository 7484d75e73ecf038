"""What other clients than the SDK ask in their own words, as wandb-mcp-server's documents do."""

import json
from typing import Any

import pytest

from access.actions import Preset
from metrics.ingest.transaction import write_group
from runs.models import Run
from tests.factories import RunFactory, add_run_file, make_member
from wandb_api.file_stream.endpoint import read_post
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

ASK = """query Q($entity: String!, $project: String!, $run: String!, $specs: [JSONString!]!) {
    project(name: $project, entityName: $entity) { run(name: $run) { %s } } }"""


@pytest.fixture
def run() -> Run:
    return RunFactory()


@pytest.fixture
def reader(run: Run) -> Asker:
    return Asker(make_member(run.project.team, Preset.MEMBER))


def ask(reader: Asker, run: Run, fields: str) -> dict[str, Any]:
    names = {"entity": run.project.team.name, "project": run.project.name, "run": run.uid}
    document = ASK % f"{fields} whole: sampledHistory(specs: $specs)"
    answer = reader.ask(document, specs=['{"keys": ["loss"]}'], **names)
    found: dict[str, Any] = answer.data["project"]["run"]
    return found


def test_a_file_s_size_by_its_short_name(reader: Asker, run: Run):
    add_run_file(run, "a.txt", b"four")
    found = ask(reader, run, "updatedAt files { edges { node { size sizeBytes } } }")
    assert found["files"] == {"edges": [{"node": {"size": 4, "sizeBytes": 4}}]}
    assert found["updatedAt"] == run.updated_at.strftime("%Y-%m-%dT%H:%M:%SZ")


def test_sampled_rows_are_whole_though_parts_are_selected(reader: Asker, run: Run):
    row = {"_step": 0, "_timestamp": 1000.0, "_runtime": 0.0, "loss": 0.5}
    files = {"wandb-history.jsonl": {"offset": 0, "content": [json.dumps(row)]}}
    write_group([read_post(json.dumps({"files": files}).encode(), run.pk, "")])
    found = ask(reader, run, "part: sampledHistory(specs: $specs) { step timestamp item }")
    assert found["part"] == found["whole"] == [[{"loss": 0.5}]]
