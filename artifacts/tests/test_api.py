"""REST: types, collections, versions, aliases, links, files and lineage of artifacts."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from artifacts.collections.services import delete_collection
from artifacts.lineage.graph import MAX_NODES
from artifacts.lineage.services import use_version
from artifacts.models import Collection, Use, Version
from artifacts.tests.factories import make_version, place_of
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.bulk_actions.deletion import delete_run
from runs.models import Project, Run
from storage.signed_urls import tickets
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, TeamFactory, basic, make_key, make_member

pytestmark = pytest.mark.django_db
API = "/api/v1"
Ask = Callable[..., Any]


@pytest.fixture
def project() -> Project:
    return ProjectFactory(name="vision")


@pytest.fixture
def member(project: Project) -> User:
    return make_member(project.team)


@pytest.fixture
def ask(client: Client, member: User) -> Ask:
    return asking(client, member)


@pytest.fixture
def ask_with(client: Client, member: User) -> Callable[..., Ask]:
    return lambda scopes: asking(client, member, scopes)


def asking(client: Client, user: User | None, scopes: frozenset[str] | None = None) -> Ask:
    """Return how somebody asks: status and body of the answer."""
    headers = {} if user is None else {"Authorization": basic(make_key(user, scopes=scopes))}

    def ask(method: str, path: str, body: Any = None) -> tuple[int, Any]:
        answer = client.generic(
            method,
            f"{API}{path}",
            "" if body is None else json.dumps(body),
            content_type="application/json",
            headers=headers,
        )
        if answer.status_code == 302:
            return 302, answer.headers["Location"]
        return answer.status_code, answer.json() if answer.content else None

    return ask


def path_of(version: Version, more: str = "") -> str:
    place = place_of(version)
    return f"/artifact-collections/{place.collection_id}/versions/{place.label}/{more}"


def names(body: Any, key: str = "name") -> list[str]:
    return [row[key] for row in body["results"]]


# Types and collections


def test_types_that_have_collections_are_listed(project: Project, ask: Ask):
    make_version(project, "data", type_name="dataset")
    make_version(project, "model")
    delete_collection(actor=SYSTEM, collection=make_version(project, "x", type_name="gone").collection)
    make_version(ProjectFactory(), "theirs", type_name="secret")
    _, body = ask("GET", f"/artifact-types/?entity={project.team.name}&project=vision")
    assert {row["name"]: row["collection_count"] for row in body["results"]} == {"dataset": 1, "model": 1}


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", ["resnet", "faces", "cats"]),
        ("type=model", ["resnet"]),
        ("name=cats", ["cats"]),
        ("search=C", ["faces", "cats"]),
        ("tag=gold", ["cats"]),
        ("project=elsewhere", []),
    ],
)
def test_collections_are_narrowed(project: Project, ask: Ask, given: str, found: list[str]):
    cats = make_version(project, "cats", type_name="dataset").collection
    make_version(project, "faces", type_name="dataset")
    make_version(project, "resnet")
    assert ask("PATCH", f"/artifact-collections/{cats.pk}/", {"tags": ["gold", "new"]})[0] == 200
    assert names(ask("GET", f"/artifact-collections/?{given}")[1]) == found


def test_a_collection_is_changed_at_once_or_not_at_all(project: Project, ask: Ask):
    row = make_version(project, "cats", tags=["x"]).collection
    make_version(project, "dogs")
    path = f"/artifact-collections/{row.pk}/"
    ask("PATCH", path, {"tags": ["a", "b"]})
    status, body = ask(
        "PATCH", path,
        {"name": "felines", "type": "dataset", "tags": ["b", "c"], "ttl_s": 86_400, "is_protected": True},
    )  # fmt: skip
    assert status == 200
    assert (body["name"], body["type"], body["tags"], body["ttl_s"], body["is_protected"]) == (
        "felines", "dataset", ["b", "c"], 86_400, True,
    )  # fmt: skip
    assert body["version_count"] == 1
    status, body = ask("PATCH", path, {"type": "other", "name": "dogs"})
    assert (status, body["error"]["message"]) == (409, "The project already has an artifact “dogs”.")
    assert ask("GET", path)[1]["type"] == "dataset"
    assert ask("PATCH", path, {"ttl_s": None})[1]["ttl_s"] is None
    assert ask("DELETE", path)[0] == 409, "it is protected"


def test_a_deleted_collection_is_listed_and_restored(project: Project, ask: Ask, client: Client):
    row = make_version(project, "cats").collection
    path = f"/artifact-collections/{row.pk}/"
    assert ask("DELETE", path)[0] == 204
    assert ask("GET", path)[0] == 404
    assert names(ask("GET", "/artifact-collections/?deleted=true")[1]) == ["cats"]
    viewer = asking(client, make_member(project.team, Preset.VIEW_ONLY))
    assert names(viewer("GET", "/artifact-collections/?deleted=true")[1]) == []
    assert viewer("POST", f"{path}restore/")[0] == 404
    status, body = ask("POST", f"{path}restore/")
    assert (status, body["name"], body["version_count"], body["deleted_at"]) == (200, "cats", 1, None)


# Versions


def test_versions_are_found_by_number_alias_and_digest(project: Project, ask: Ask):
    make_version(project, aliases=["first.one"])
    second = make_version(project, files={"a.txt": b"other"}, metadata={"loss": float("nan")}, tags=["t"])
    base = f"/artifact-collections/{second.collection_id}/versions/"
    assert names(ask("GET", base)[1], "version") == ["v1", "v0"]
    assert names(ask("GET", f"{base}?tag=t")[1], "version") == ["v1"]
    found = [
        ask("GET", f"{base}{name}/")[1]["version"] for name in ("v1", "latest", second.digest, "first.one")
    ]
    assert found == ["v1", "v1", "v1", "v0"]
    status, body = ask("GET", f"{base}v9/")
    assert (status, "model:v9 doesn’t exist" in body["error"]["message"]) == (404, True)
    assert ask("GET", f"{base}v1/")[1]["metadata"] == {"loss": "NaN"}


def test_a_version_is_changed_but_not_its_files(project: Project, ask: Ask):
    version = make_version(project, tags=["old"], metadata={"a": 1})
    body = {
        "description": "Good.",
        "metadata": {"b": [2]},
        "tags": ["new"],
        "ttl_s": 3600,
        "is_protected": True,
    }
    status, body = ask("PATCH", path_of(version), body)
    assert status == 200
    assert (body["description"], body["metadata"], body["tags"]) == ("Good.", {"b": [2]}, ["new"])
    assert body["expires_at"] is None, "what is protected does not end"
    assert ask("DELETE", path_of(version, "?with_aliases=true"))[0] == 409, "it is protected"
    assert ask("PATCH", path_of(version), {"ttl_s": -1})[0] == 400
    assert ask("PATCH", path_of(version), {"size_bytes": 1})[0] == 400


def test_a_version_with_aliases_is_deleted_with_them_and_comes_back(project: Project, ask: Ask):
    version = make_version(project, aliases=["best"])
    path = path_of(version)
    status, body = ask("DELETE", path)
    assert (status, "has the aliases best, latest" in body["error"]["message"]) == (409, True)
    assert ask("DELETE", f"{path}?with_aliases=true")[0] == 204
    assert ask("GET", path)[0] == 404
    base = f"/artifact-collections/{version.collection_id}/versions/"
    assert names(ask("GET", f"{base}?deleted=true")[1], "version") == ["v0"]
    status, body = ask("POST", f"{path}restore/")
    assert (status, body["version"], body["aliases"]) == (200, "v0", ["best", "latest"])


def test_an_alias_moves_and_goes(project: Project, ask: Ask):
    first, second = make_version(project, aliases=["best"]), make_version(project, files={"b": b"b"})
    assert ask("PUT", path_of(second, "aliases/best/"))[1]["aliases"] == ["latest", "best"]
    assert ask("GET", path_of(first))[1]["aliases"] == []
    assert ask("DELETE", path_of(second, "aliases/best/"))[0] == 204
    assert ask("GET", path_of(second))[1]["aliases"] == ["latest"]
    assert ask("PUT", path_of(second, "aliases/v7/"))[0] == 400, "it reads as a number"


# Links: who sees a version elsewhere learns nothing of its project


@pytest.fixture
def linked(project: Project) -> tuple[Version, Collection]:
    """Return a version of a project that ``project``'s team does not see, linked into one that it sees."""
    run = RunFactory(project=ProjectFactory(name="private"), uid="secret-run")
    version = make_version(run.project, "origin", run=run)
    place = link_version(actor=SYSTEM, version=version, project=project, name="portfolio")
    return version, place.collection


def test_a_version_is_linked_and_unlinked(project: Project, ask: Ask):
    version = make_version(project)
    body = {"entity": project.team.name, "project": "vision", "collection": "best", "aliases": ["prod"]}
    status, made = ask("POST", path_of(version, "links/"), body)
    assert status == 201
    assert (made["collection"], made["version"], made["aliases"]) == ("best", "v0", ["prod", "latest"])
    assert made["source"]["collection"] == "model"
    assert names({"results": ask("GET", path_of(version))[1]["links"]}, "collection") == ["best"]
    assert ask("DELETE", f"/artifact-collections/{made['collection_id']}/versions/prod/")[0] == 204
    assert ask("GET", path_of(version))[1]["links"] == []
    assert Version.objects.live().filter(pk=version.pk).exists()


def test_a_link_tells_nothing_of_a_project_that_is_hidden(linked: tuple[Version, Collection], ask: Ask):
    version, portfolio = linked
    base = f"/artifact-collections/{portfolio.pk}/versions/"
    for body in (ask("GET", f"{base}v0/")[1], ask("GET", base)[1]["results"][0]):
        assert (body["source"], body["run"], body["created_by"]) == (None, None, None)
        assert not {"origin", "private", version.project.team.name}.intersection(map(str, body.values()))
    graph = ask("GET", f"{base}v0/lineage/")[1]
    assert (len(graph["nodes"]), graph["hidden"]) == (2, 1)
    assert "secret-run" not in str(graph)
    assert ask("GET", f"{base}v0/logged-by/")[1]["results"] == []
    assert ask("GET", path_of(version))[0] == 404


def test_links_that_are_hidden_are_counted(linked: tuple[Version, Collection], client: Client):
    version, _portfolio = linked
    owner = asking(client, make_member(version.project.team))
    body = owner("GET", path_of(version))[1]
    assert (body["links"], body["hidden_link_count"]) == ([], 1)


# Files


def test_files_are_listed_by_path_in_pages(project: Project, ask: Ask):
    files = {"b/2.txt": b"22", "a.txt": b"1", "b/1.txt": b"333"}
    version = make_version(project, files=files, references={"c.bin": "s3://bucket/c.bin"})
    _, body = ask("GET", path_of(version, "files/?per_page=3"))
    assert [(row["path"], row["size_bytes"]) for row in body["results"]] == [
        ("a.txt", 1), ("b/1.txt", 3), ("b/2.txt", 2),
    ]  # fmt: skip
    _, rest = ask("GET", body["next"].partition(API)[2])
    assert [(row["path"], row["reference"]) for row in rest["results"]] == [("c.bin", "s3://bucket/c.bin")]
    assert names(ask("GET", path_of(version, "files/?prefix=b/"))[1], "path") == ["b/1.txt", "b/2.txt"]


def test_a_file_is_downloaded_at_a_signed_address(project: Project, ask: Ask, client: Client):
    version = make_version(project, files={"b/a.txt": b"hello"}, references={"c.bin": "s3://bucket/c.bin"})
    status, location = ask("GET", path_of(version, "files/b/a.txt"))
    ticket = tickets.read_get(location.removeprefix(tickets.GET_PATH).partition("/")[0])
    assert (status, ticket["n"], ticket["s"]) == (302, "a.txt", False)
    assert ask("GET", path_of(version, "files/none.txt"))[0] == 404
    status, body = ask("GET", path_of(version, "files/c.bin"))
    assert (status, "s3://bucket/c.bin" in body["error"]["message"]) == (404, True)
    viewer = asking(client, make_member(project.team, Preset.VIEW_ONLY))
    assert names(viewer("GET", path_of(version, "files/"))[1], "path") == ["b/a.txt", "c.bin"]
    status, body = viewer("GET", path_of(version, "files/b/a.txt"))
    assert (status, body["error"]["detail"]["permission"]) == (403, "artifact.download")


def test_a_file_of_a_linked_version_is_downloaded_by_whom_its_place_lets(
    linked: tuple[Version, Collection], ask: Ask
):
    _version, portfolio = linked
    assert ask("GET", f"/artifact-collections/{portfolio.pk}/versions/v0/files/a.txt")[0] == 302


def test_a_public_project_shows_files_but_gives_none(project: Project, client: Client):
    version = make_version(project)
    Project.objects.update(visibility=Visibility.PUBLIC)
    nobody = asking(client, None)
    assert names(nobody("GET", path_of(version, "files/"))[1], "path") == ["a.txt"]
    assert nobody("GET", path_of(version, "files/a.txt"))[0] in {401, 403}


# Runs and lineage


def test_a_run_s_inputs_and_outputs(project: Project, ask: Ask):
    run = RunFactory(project=project)
    data, model = make_version(project, "data"), make_version(project, run=run)
    use_version(actor=SYSTEM, run=run, version=data)
    assert names(ask("GET", f"/runs/{run.pk}/input-artifacts/")[1], "collection") == ["data"]
    assert names(ask("GET", f"/runs/{run.pk}/output-artifacts/")[1], "collection") == ["model"]
    assert ask("GET", path_of(model))[1]["run"] == run.pk
    assert names(ask("GET", path_of(model, "logged-by/"))[1], "uid") == [run.uid]
    assert names(ask("GET", path_of(data, "used-by/"))[1], "uid") == [run.uid]


def test_what_a_run_used_elsewhere_is_shown_by_its_link_alone(
    linked: tuple[Version, Collection], project: Project, ask: Ask
):
    run = RunFactory(project=project)
    use_version(actor=SYSTEM, run=run, version=linked[0])
    assert names(ask("GET", f"/runs/{run.pk}/input-artifacts/")[1], "collection") == ["portfolio"]


def test_what_a_moved_run_logged_stays_hidden_with_its_project(ask: Ask, project: Project):
    run = RunFactory(project=ProjectFactory())
    make_version(run.project, run=run)
    Run.objects.update(project=project)
    assert ask("GET", f"/runs/{run.pk}/output-artifacts/")[1]["results"] == []


def test_used_by_survives_a_deleted_run(project: Project, ask: Ask):
    run = RunFactory(project=project)
    version = make_version(project)
    use_version(actor=SYSTEM, run=run, version=version)
    delete_run(actor=SYSTEM, run=run)
    assert ask("GET", path_of(version, "used-by/"))[1]["results"] == []
    assert ask("GET", path_of(version))[1]["used_by_count"] == 1
    nodes = ask("GET", path_of(version, "lineage/"))[1]["nodes"]
    assert [node["run"]["deleted_at"] is None for node in nodes if node["run"]] == [False]


def _chain(project: Project, length: int) -> Version:
    """Return the middle version of runs that each used what the one before logged."""
    version = make_version(project, "step0", {"a": b"0"})
    found = [version]
    for number in range(1, length):
        run = RunFactory(project=project, uid=f"run-{number}")
        use_version(actor=SYSTEM, run=run, version=version)
        version = make_version(project, f"step{number}", {"a": str(number).encode()}, run=run)
        found.append(version)
    return found[length // 2]


def _shown(graph: Any) -> set[str]:
    return {
        node["version"]["collection"] if node["version"] else node["run"]["uid"] for node in graph["nodes"]
    }


def test_lineage_goes_both_ways_as_deep_as_asked(project: Project, ask: Ask):
    middle = _chain(project, 5)
    graph = ask("GET", path_of(middle, "lineage/?depth=2"))[1]
    assert _shown(graph) == {"step1", "run-2", "step2", "run-3", "step3"}
    by_id = {node["id"]: node["version"] or node["run"] for node in graph["nodes"]}
    arrows = {
        (by_id[edge["source"]].get("uid"), edge["kind"], by_id[edge["target"]].get("uid"))
        for edge in graph["edges"]
    }
    assert arrows == {
        (None, "input", "run-2"), ("run-2", "output", None), (None, "input", "run-3"), ("run-3", "output", None),
    }  # fmt: skip
    assert len(_shown(ask("GET", path_of(middle, "lineage/"))[1])) == 9
    assert [node["version"]["collection"] for node in graph["nodes"] if node["is_focus"]] == ["step2"]


def test_lineage_ends_where_something_is_hidden(project: Project, ask: Ask):
    """Else it would say what stands behind a project that one cannot see."""
    version = make_version(project, "data")
    private = RunFactory(project=ProjectFactory(), uid="private-run")
    use_version(actor=SYSTEM, run=private, version=version)
    behind = RunFactory(project=project)
    for hidden in (
        make_version(private.project, "theirs", {"x": b"x"}, run=private),
        make_version(private.project, "others", {"y": b"y"}, run=private),
    ):
        use_version(actor=SYSTEM, run=behind, version=hidden)
    graph = ask("GET", path_of(version, "lineage/"))[1]
    assert [(node["kind"], node["count"]) for node in graph["nodes"]] == [("version", 1), ("hidden", 1)]
    assert (graph["hidden"], graph["left_out"]) == (1, 0)
    assert ask("GET", path_of(version))[1]["used_by_count"] == 1


def test_a_deleted_version_stays_in_lineage(project: Project, ask: Ask):
    run = RunFactory(project=project)
    data = make_version(project, "data")
    use_version(actor=SYSTEM, run=run, version=data)
    model = make_version(project, run=run)
    delete_version(actor=SYSTEM, version=data, with_aliases=True)
    nodes = ask("GET", path_of(model, "lineage/"))[1]["nodes"]
    deleted = {
        node["version"]["collection"]: node["version"]["deleted_at"] is not None
        for node in nodes
        if node["version"]
    }
    assert deleted == {"model": False, "data": True}


def test_a_lineage_graph_has_an_end(project: Project, ask: Ask):
    version = make_version(project)
    runs = Run.objects.bulk_create(
        Run(project=project, uid=f"r{number}", number=number) for number in range(MAX_NODES + 3)
    )
    Use.objects.bulk_create(Use(run=run, version=version) for run in runs)
    graph = ask("GET", path_of(version, "lineage/"))[1]
    assert (len(graph["nodes"]), graph["left_out"]) == (MAX_NODES, 4)


# Costs


def test_lists_cost_the_same_for_more_rows(project: Project, ask: Ask, django_assert_max_num_queries: Any):
    run = RunFactory(project=project)
    version = make_version(project, "data", run=run)
    for number in range(4):
        version = make_version(
            project, "data", {"a": str(number).encode()}, run=run, aliases=[f"n{number}"], tags=["t"]
        )
        make_version(project, f"c{number}", {"a": b"a"}, run=run, type_name=f"t{number}")
        link_version(actor=SYSTEM, version=version, project=project, name=f"portfolio{number % 2}")
    paths = {
        f"/artifact-collections/{version.collection_id}/versions/": 15,
        path_of(version): 17, path_of(version, "files/"): 11, "/artifact-collections/": 8, "/artifact-types/": 7,
        f"/runs/{run.pk}/output-artifacts/": 15,
    }  # fmt: skip
    for path, most in paths.items():
        ask("GET", path)
        with django_assert_max_num_queries(most):
            assert ask("GET", path)[0] == 200


def test_a_step_of_lineage_costs_the_same_however_long_the_graph_is(project: Project, ask: Ask):
    middle = _chain(project, 5)
    paths = [path_of(middle, f"lineage/?depth={depth}") for depth in (1, 2, 3)]
    counts = []
    for path in paths:
        ask("GET", path)
        with CaptureQueriesContext(connection) as found:
            ask("GET", path)
        counts.append(len(found))
    assert counts[1] - counts[0] <= 5
    assert counts[2] - counts[1] <= 5


def test_a_stranger_sees_nothing(project: Project, client: Client):
    version = make_version(project)
    stranger = asking(client, TeamFactory().memberships.get().user)
    assert stranger("GET", path_of(version))[0] == 404
    assert stranger("GET", "/artifact-collections/")[1]["results"] == []
    assert stranger("GET", "/artifact-types/")[1]["results"] == []


@pytest.mark.parametrize(("scopes", "names", "links"), [(READ_ONLY, 403, 403), (LOG_RUNS, 200, 201)])
def test_keys_reach_as_far_as_the_sdk_needs(
    project: Project, ask_with: Callable[..., Ask], scopes: frozenset[str], names: int, links: int
):
    """ACC-40: a key that reads downloads, too; one that logs also names and links, but edits and deletes nothing."""
    version, ask = make_version(project), ask_with(scopes)
    assert ask("GET", path_of(version, "files/a.txt"))[0] == 302
    assert ask("PATCH", path_of(version), {"description": "x"})[0] == 403
    assert ask("DELETE", path_of(version, "?with_aliases=true"))[0] == 403
    assert ask("PUT", path_of(version, "aliases/best/"))[0] == names
    body = {"entity": project.team.name, "project": "vision", "collection": "best"}
    assert ask("POST", path_of(version, "links/"), body)[0] == links
