"""Tables that name others: in their own version, or by a reference to another (ART-4)."""

import json
from base64 import b64decode

import pytest

from access.actor import SYSTEM
from artifacts.drafts.commit import commit_version
from artifacts.manifests.document import write_manifest
from artifacts.manifests.ids import to_version_id
from artifacts.models import Version
from artifacts.pages.preview import preview_of
from artifacts.tests.factories import entries_for, make_draft, make_version, send_file, send_manifest
from runs.models import Project
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def joined(left: str, right: str) -> bytes:
    named = {"_type": "joined-table", "table1": left, "table2": right, "join_key": "id"}
    return json.dumps(named).encode()


def problem(version: Version, path: str) -> str:
    return str(preview_of(SYSTEM, version, version.entries.get(path=path), {}).problem)


def test_a_joined_table_that_names_itself_is_not_followed_for_ever(project: Project) -> None:
    files = {
        "self.joined-table.json": joined("self.joined-table.json", "self.joined-table.json"),
        "one.joined-table.json": joined("two.joined-table.json", "gone.table.json"),
        "two.joined-table.json": joined("one.joined-table.json", "gone.table.json"),
    }
    version = make_version(project, files=files)
    for path in files:
        assert "or to itself" in problem(version, path)


def test_references_that_go_in_a_circle_are_not_followed_for_ever(project: Project) -> None:
    draft = make_draft(project, "circle", {}, digest="circle")
    back = f"wandb-artifact://{b64decode(to_version_id(draft.pk)).hex()}/a.joined-table.json"
    send_file(draft, "a.joined-table.json", joined("b.table.json", "b.table.json"))
    own = entries_for({"a.joined-table.json": joined("b.table.json", "b.table.json")}, {"b.table.json": back})
    send_manifest(draft, write_manifest(own))
    version = commit_version(actor=SYSTEM, version=draft)
    assert "or to itself" in problem(version, "a.joined-table.json")


def test_a_reference_to_nothing_is_said_to_lie_elsewhere(project: Project) -> None:
    address = "wandb-artifact://00/gone.table.json"
    version = make_version(
        project,
        files={"j.joined-table.json": joined("far.table.json", "far.table.json")},
        references={"far.table.json": address},
    )
    assert "is stored elsewhere" in problem(version, "j.joined-table.json")


@pytest.mark.parametrize("may_download", [True, False])
def test_a_reference_to_another_artifact_shows_its_file_to_whoever_may_download_it(
    project: Project, *, may_download: bool
) -> None:
    """ART-4: the SDK adds a table that a run has logged to a second artifact by reference."""
    rows = json.dumps({"_type": "table", "columns": ["n"], "data": [[1], [2]], "nrows": 2}).encode()
    logged = make_version(ProjectFactory(), "logged", {"t.table.json": rows})
    address = f"wandb-artifact://{b64decode(to_version_id(logged.pk)).hex()}/t.table.json"
    second = make_version(project, "second", {}, references={"again.table.json": address})
    by = SYSTEM if may_download else actor(make_member(project.team))
    shown = preview_of(by, second, second.entries.get(path="again.table.json"), {})
    assert (shown.kind, shown.entry.path) == ("table" if may_download else "reference", "again.table.json")
    assert (shown.table is not None) == may_download
