"""Artifacts with every release of the SDK: ART-1 to ART-3. The scripts are `scenarios/artifacts_*.py`.

A second table ends the test run. What a script told is what its release read back.
"""

import json
from typing import Any

import pytest

from storage.signed_urls import tickets
from tests import sdks
from tests.sdk.lab import Lab
from tests.sdk.lines import Job, Ran, Told, scenario
from tests.sdk.table import parts
from tests.sdk.wire import Recorder, recording
from tests.waiting import until

pytestmark = [pytest.mark.sdk, pytest.mark.dialect]

WHOLE = {
    "birds/deep/two.txt": "cat", "birds/one.txt": "one", "cat.txt": "cat", "made.txt": "made", "near.txt": "near",
    "web.txt": "web",
}  # fmt: skip
"""The dataset of `artifacts_life`, as it is downloaded."""


# -- what runs at the clients --------------------------------------------------------------------------------------


def told_by(script: str) -> Job:
    """Run one script that leaves what it was told."""

    def run(lab: Lab) -> Told:
        lab.script(script)
        return dict(json.loads((lab.folder / "told.json").read_text()))

    return run


def together(lab: Lab, script: str, *who: str) -> None:
    """Run a script several times at once."""
    processes = [
        lab.start(script, WHO=one, TOGETHER=str(lab.folder), WANDB_DIR=str(lab.folder)) for one in who
    ]
    try:
        ends = [lab.end(process) for process in processes]
    finally:
        for process in processes:
            sdks.kill_script(process)
    assert [status for status, _ in ends] == [0] * len(who), ends


def distributed(lab: Lab) -> Told:
    """Let two write at once, one of which is killed on the way and does it again; a third finishes."""
    killed = lab.start("artifacts_distributed", WHO="2", UNTIL_KILLED="1")
    other = lab.start("artifacts_distributed", WHO="1")
    until((lab.folder / "killable").exists, "the second writer at its upload")
    sdks.kill_script(killed)
    status, out = lab.end(other)
    assert status == 0, out
    lab.script("artifacts_distributed", WHO="2")
    lab.script("artifacts_distributed", WHO="last")
    return {"versions": versions(lab, "joint"), "files": files(lab, "joint:latest")}


def race(lab: Lab) -> Told:
    """Let two log to the same collections."""
    together(lab, "artifacts_race", "1", "2")
    return {"differs": versions(lab, "differs"), "equals": versions(lab, "equals")}


def offline(lab: Lab) -> Told:
    """Sync a run that was offline."""
    lab.script("artifacts_offline")
    lab.sync()
    return {"versions": versions(lab, "parcel"), "files": files(lab, "parcel:home")}


def ranged(lab: Lab) -> Told:
    """Record what the server answers to a file that is taken in parts."""
    with recording(lab.server.port) as recorder:
        lab.script("artifacts_ranged", WANDB_BASE_URL=recorder.url)
    return {"statuses": recorder.statuses}


def parted(lab: Lab) -> Told:
    """Record how a file goes up in parts; the process of the script uploads it itself."""
    with recording(lab.server.port) as recorder:
        lab.script("artifacts_parts", WANDB_BASE_URL=recorder.url, WANDB_DISABLE_SERVICE="true")
    return {"recorder": recorder}


def cli(lab: Lab) -> Told:
    """Use the command line."""
    (lab.folder / "given").mkdir()
    (lab.folder / "given" / "a.txt").write_text("given")
    project = f"{lab.ada.name}/{lab.project}"
    name = f"{project}/by-hand"
    return {
        "put": lab.cli("artifact", "put", "--name", name, "--alias", "mine", "given", WANDB_SILENT=""),
        "get": lab.cli("artifact", "get", f"{name}:mine", "--root", "got", WANDB_SILENT=""),
        "got": (lab.folder / "got" / "a.txt").read_text(),
        "ls": lab.cli("artifact", "ls", project, WANDB_SILENT=""),
        "cache": lab.cli("artifact", "cache", "cleanup", "1GB", WANDB_SILENT=""),
    }


JOBS: dict[str, Job] = {
    "life": told_by("artifacts_life"), "changes": told_by("artifacts_changes"), "models": told_by("artifacts_models"),
    "race": race, "distributed": distributed, "tables": told_by("artifacts_tables"), "ranged": ranged, "parted": parted,
    "offline": offline, "cli": cli,
}  # fmt: skip
"""The slow ones first."""


VERSIONS = """
query V($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { artifactCollection(name: $name) {
    artifacts { edges { version node { digest state aliases { alias } } } }
  } }
}"""
FILES = """
query F($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { artifact(name: $name) {
    files { totalCount edges { node { name displayName directUrl sizeBytes md5 digest } } }
  } }
}"""


def versions(lab: Lab, name: str) -> dict[str, dict[str, Any]]:
    """Return the versions of a collection by their numbers."""
    found = lab.ada.wire.data(VERSIONS, project=lab.project, entity=lab.ada.name, name=name)
    edges = found["project"]["artifactCollection"]["artifacts"]["edges"]
    return {edge["version"]: edge["node"] for edge in edges}


def files(lab: Lab, name: str) -> dict[str, str]:
    """Return the files of a version with their content."""
    found = lab.ada.wire.data(FILES, project=lab.project, entity=lab.ada.name, name=name)
    nodes = [edge["node"] for edge in found["project"]["artifact"]["files"]["edges"]]
    return {node["displayName"]: lab.ada.wire.http.get(node["directUrl"]).text for node in nodes}


# -- the lines of the table ----------------------------------------------------------------------------------------


@scenario("log_artifact, wait", "life")
def test_log(ran: Ran) -> None:
    """ART-1."""
    metadata = {"n": 3, "deep": {"a": [1, 2]}}
    assert ran.told["first"] == ["v0", ["best", "latest"], "first", metadata, "COMMITTED"]
    assert ran.told["tags"] == ["raw"]


@scenario("same digest, new alias", "life")
def test_the_same_content_makes_no_version_and_takes_the_alias(ran: Ran) -> None:
    """ART-1."""
    assert ran.told["again"] == ["v0", ["again", "best", "latest"], True]


@scenario("new_draft", "life")
def test_a_draft_is_the_next_version_and_takes_latest(ran: Ran) -> None:
    assert ran.told["second"] == ["v1", ["latest"]]


@scenario("incremental", "life")
def test_an_incremental_version_has_what_the_last_one_had(ran: Ran) -> None:
    """ART-2."""
    assert ran.told["third"] == ["v2", ["latest"]]
    expected = {name: text for name, text in WHOLE.items() if name != "cat.txt"}
    assert ran.told["incremental"] == {**expected, "dog.txt": "dog", "fish.txt": "fish"}


@scenario("download", "life")
def test_download(ran: Ran) -> None:
    """ART-2: two files of the same bytes and references among them."""
    assert ran.told["whole"] == WHOLE
    assert ran.told["reference"]


@scenario("download, path_prefix", "life")
def test_download_of_a_folder(ran: Ran) -> None:
    assert ran.told["part"] == {name: text for name, text in WHOLE.items() if name.startswith("birds/")}


@scenario("download of one entry", "life")
def test_download_of_one_entry(ran: Ran) -> None:
    assert ran.told["one"] == "cat"


@scenario("download, multipart", "ranged", since="0.19")
def test_download_by_ranges(ran: Ran) -> None:
    """ART-7: the script has compared what came; each part was asked for, and answered, alone."""
    partial = [path for path, status in ran.told["statuses"] if status == 206]
    assert len(partial) == 4


@scenario("upload in parts", "parted", before="0.18")
def test_upload_in_parts(ran: Ran) -> None:
    """ART-7: the script has compared what came back; later releases upload by a program that we cannot change."""
    recorder: Recorder = ran.told["recorder"]
    put_together = [ask for ask, _, _ in recorder.answers if "CompleteMultipartUpload" in ask["query"]]
    assert len(put_together) == 1
    sizes = [len(body) for path, body in recorder.posts if path.startswith(tickets.PART_PATH)]
    assert sorted(sizes) == [3_500_000 - 3 * (1 << 20), *[1 << 20] * 3]


@scenario("verify", "life")
def test_verify_names_the_changed_file(ran: Ran) -> None:
    """ART-2: the script has verified what was right before."""
    assert "cat.txt" in ran.told["verify"]


@scenario("api.artifact", "life")
def test_found_by_alias_number_and_digest(ran: Ran) -> None:
    """References count no bytes, but where a release adds up the manifest itself."""
    lab, found = ran.lab, ran.told["found"]
    uncounted = {"near.txt", "web.txt"} if parts(lab.version) >= (0, 20) else set()
    size = sum(len(text) for name, text in WHOLE.items() if name not in uncounted)
    assert found[:6] == ["v0", "dataset", "pets:v0", lab.ada.name, lab.project, size]
    assert found[7:] == [True, True, {"n": 3, "deep": {"a": [1, 2]}}, "first"]
    assert ran.told["by digest"] == "v0"


@scenario("api.artifact of none", "life")
def test_a_version_that_is_not_there_is_said_so(ran: Ran) -> None:
    assert "pets:v99" in ran.told["none"]


@scenario("artifact_exists", "life", since="0.19")
def test_exists(ran: Ran) -> None:
    assert ran.told["exists"] == [True, True, False, False]
    assert ran.told["collection exists"] == [True, False]


@scenario("files", "life")
def test_files(ran: Ran) -> None:
    """References are among them, for from these SDKs take what to download."""
    assert ran.told["files"] == [[name, len(text)] for name, text in WHOLE.items()]
    assert ran.told["named"] == ["cat.txt"]


@scenario("logged_by, used_by", "life")
def test_lineage(ran: Ran) -> None:
    """ART-1: a run that logs a draft has used what it is made of."""
    assert (ran.told["logged by"], ran.told["used by"]) == ("maker", ["maker", "user"])


@scenario("logged_artifacts, used_artifacts", "life")
def test_artifacts_of_a_run(ran: Ran) -> None:
    assert ran.told["logged"] == ["pets:v0", "pets:v1", "pets:v2"]
    assert ran.told["used"] == ["pets:v0", "pets:v2"]


@scenario("api.artifacts", "life")
def test_versions_are_listed_newest_first_over_pages(ran: Ran) -> None:
    assert ran.told["versions"] == ran.told["pages"] == ["v2", "v1", "v0"]


@scenario("artifact_types, collections", "life")
def test_types_and_collections(ran: Ran) -> None:
    assert "dataset" in ran.told["types"]
    assert "pets" in ran.told["collections"]


@scenario("aliases, metadata, description", "changes")
def test_a_changed_version_is_read_back(ran: Ran) -> None:
    assert ran.told["changed"] == ["v1", "described", {"lr": 0.5}, ["fine"]]


@scenario("an alias moves and goes", "changes")
def test_an_alias_belongs_to_one_version(ran: Ran) -> None:
    """ART-1."""
    assert ran.told["moved"] == ["v0", []]
    assert not ran.told["removed"].startswith("nothing")


@scenario("tags", "changes", since="0.19")
def test_tags(ran: Ran) -> None:
    assert ran.told["tags"] == ["blue", "red"]
    assert ran.told["fewer tags"] == ["red"]


@scenario("ttl", "changes")
def test_time_to_live(ran: Ran) -> None:
    """Inherited (of no policy), set, switched off, inherited again; and given before it was logged."""
    assert ran.told["inherited"] == [None, 3 * 86_400, None, None]
    assert ran.told["born with"] == 2 * 3_600


@scenario("delete of a version with aliases", "changes")
def test_a_version_with_aliases_stays_unless_they_are_to_go(ran: Ran) -> None:
    """ART-2."""
    assert "alias" in ran.told["refused"].lower()
    assert ran.told["still there"] == "v2"


@scenario("delete, delete_aliases", "changes")
def test_latest_goes_to_the_newest_that_is_left(ran: Ran) -> None:
    """ART-1."""
    version, gone = ran.told["latest"]
    assert version == "v1"
    assert not gone.startswith("nothing")
    assert ran.told["without aliases"] == [[], "nothing"]


@scenario("numbers are not given twice", "changes")
def test_the_number_of_a_deleted_version_is_not_given_again(ran: Ran) -> None:
    """ART-1: nor does its content come back as the old version."""
    assert (ran.told["next"], ran.told["gone and logged again"]) == ("v3", "v4")
    assert ran.told["versions"] == ["v4", "v3", "v1"]
    assert "latest" in ran.told["aliases"]


@scenario("change_type of a collection", "changes")
def test_a_collection_takes_another_type(ran: Ran) -> None:
    kind, collections = ran.told["type"][0], ran.told["type"][1:]
    assert kind == "data"
    assert "things" in collections


@scenario("save of a collection", "changes", since="0.19")
def test_a_collection_is_renamed_described_and_tagged(ran: Ran) -> None:
    assert ran.told["collection"] == ["stuff", "all of it", ["good", "old"]]
    assert ran.told["collection tags"] == ["old"]
    assert ran.told["renamed"] == "v3"


@scenario("delete of a collection", "changes")
def test_a_deleted_collection_is_gone(ran: Ran) -> None:
    assert ran.told["is sequence"]
    assert not ran.told["deleted"].startswith("nothing")


@scenario("log_model, use_model", "models")
def test_models(ran: Ran) -> None:
    assert ran.told["model"] == ["net.bin", True]
    assert {"code", "model"} <= set(ran.told["logged"])


@scenario("link_artifact, link_model", "models")
def test_links(ran: Ran) -> None:
    """ART-2: a link has its own name and number and the version's bytes."""
    nets = f"Nets-{ran.lab.project}"
    for name, shown in (("link", "Shelf"), ("by number", "Shelf"), ("registered", nets)):
        assert ran.told[name] == [shown, "v0", "model", "net:v0", True]
    assert ran.told["linked bytes"]
    is_sequence, numbers, aliases = ran.told["shelf"]
    assert not is_sequence
    assert len(numbers) == 1
    assert "prod" in aliases


@scenario("linked_artifacts, unlink", "models", since="0.19")
def test_unlink(ran: Ran) -> None:
    nets = f"Nets-{ran.lab.project}:v0"
    assert ran.told["linked"] == [nets, "Shelf:v0"]
    assert ran.told["unlinked"] == [nets]


@scenario("log_code", "models")
def test_code(ran: Ran) -> None:
    assert ran.told["code"] == ["train.py"]


@scenario("Table with images, got back", "tables")
def test_table(ran: Ran) -> None:
    names = [[1, "name 1"], [2, "name 2"], [3, "name 3"]]
    assert ran.told["left"] == [["id", "name", "picture"], names, [1, 2, 3]]


@scenario("joined and partitioned tables", "tables")
def test_joined_and_partitioned_tables(ran: Ran) -> None:
    assert ran.told["joined"] == ["id", 3, 2]
    assert ran.told["parts"] == [[4, "name 4"], [5, "name 5"]]


@scenario("run.log of a Table", "tables")
def test_a_logged_table_is_an_artifact(ran: Ran) -> None:
    name, row = ran.told["run table"]
    assert name.startswith("run-tabler-seen:v0")
    assert row == [2, "name 2"]


@scenario("upsert_artifact, finish_artifact", "distributed")
def test_several_processes_make_one_version(ran: Ran) -> None:
    """ART-2: one was killed and wrote its part again."""
    assert list(ran.told["versions"]) == ["v0"]
    assert ran.told["files"] == {"1.txt": "1", "2.txt": "2", "last.txt": "last", "same.txt": "same"}


@scenario("two writers at once", "race")
def test_two_writers_at_once(ran: Ran) -> None:
    """ART-1: different contents are versions in order, equal ones are one."""
    numbers = [f"v{number}" for number in reversed(range(6))]
    assert list(ran.told["differs"]) == numbers
    assert list(ran.told["equals"]) == numbers[3:]
    for name in ("differs", "equals"):
        latest = [number for number, one in ran.told[name].items() if {"alias": "latest"} in one["aliases"]]
        assert len(latest) == 1
        assert len({one["digest"] for one in ran.told[name].values()}) == len(ran.told[name])


@scenario("offline, then wandb sync", "offline")
def test_offline(ran: Ran) -> None:
    assert list(ran.told["versions"]) == ["v0"]
    assert ran.told["files"] == {"a.txt": "packed"}


@scenario("wandb artifact put, get, ls, cache", "cli")
def test_command_line(ran: Ran) -> None:
    told = ran.told
    assert [told[name][0] for name in ("put", "get", "ls", "cache")] == [0] * 4, told
    assert told["got"] == "given"
    assert "by-hand:v0" in told["ls"][1]
