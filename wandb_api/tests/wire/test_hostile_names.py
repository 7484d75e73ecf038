"""Names that programs chose, of keys, files and artifacts: kept, found on every page, led to, and exported."""

import csv
import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

import httpx
import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from artifacts.models import Version
from artifacts.names import MAX_NAME, check_name
from artifacts.pages.addresses import version_page
from artifacts.tests.factories import make_version, place_of
from common.errors import Invalid, printable
from common.web.url_paths import url_path
from exports import services as exports
from exports.tasks import make_exports
from runs.models import Run as RunRow
from runs.query.column_names import canonical
from storage.filesystem import path_of
from tests.factories import actor, add_run_file
from tests.hostile_names import NAMES, REFUSED_FILES, stored
from tests.matrix.asking import url_patterns
from tests.sdk.wire import CREATE_FILES, Run, Wire, history
from tests.streams import body_of
from wandb_api.tests.wire.hostile import fine
from wandb_api.tests.wire.reading import ask, read

pytestmark = pytest.mark.dialect

KEYS = [name for name in NAMES if name != "_step"]
"""Of metrics, of which one is the step."""
_TAG = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.DOTALL)


@dataclass(frozen=True)
class World:
    run: Run
    row: RunRow
    browser: Client
    version: Version


@pytest.fixture(scope="module")
def world(ada: Wire) -> World:
    """Give a run with a metric, a setting and a file of each name, and an artifact with these files."""
    config = json.dumps({name: {"value": f"of {name!a}"} for name in NAMES if name != "_wandb"})
    run = ada.begin("hostile-names", config=config)
    rows: list[dict[str, Any]] = [{"_step": at, "_timestamp": 10.0 + at, "_runtime": at} for at in range(3)]
    rows = [{**one, **{key: number + one["_step"] for number, key in enumerate(KEYS)}} for one in rows]
    page = {"_type": "html-file", "path": "new\nline", "size": 3, "sha256": ""}
    rows.append({"_step": 3, "_timestamp": 13.0, "_runtime": 3, "media\nkey": page})
    body = history(0, *rows)
    body["files"]["wandb-summary.json"] = {"offset": 0, "content": [json.dumps(dict.fromkeys(KEYS, 7))]}
    fine(ada.post(run, body), 200)
    reply = fine(
        ask(ada, CREATE_FILES, entity=run.entity, project=run.project, run=run.uid, files=NAMES), 200
    )
    for name, made in zip(NAMES, reply.json()["data"]["createRunFiles"]["files"], strict=True):
        assert ada.http.put(made["uploadUrl"], content=content_of(name)).status_code == 200
    browser = Client(raise_request_exception=False)
    browser.force_login(User.objects.get(username="ada"))
    row = RunRow.objects.get(uid=run.uid)
    files = {
        stored(name): content_of(name) for name in NAMES if name != "."
    }  # "./a" has a folder of this name
    version = make_version(row.project, "model", files, run=row)
    return World(run, row, browser, version)


def content_of(name: str) -> bytes:
    return f"of {name!a}".encode()


def text_of(answer: Any) -> str:
    """Return what people read on a page."""
    return html.unescape(_TAG.sub(" ", answer.content.decode()))


@pytest.mark.parametrize("name", REFUSED_FILES, ids=lambda name: ascii(name)[:30])
def test_a_name_that_leaves_the_folder_is_refused(ada: Wire, name: str) -> None:
    """By Windows' rules too: the SDK joins it to the folder that it downloads into."""
    run = ada.begin("refused-names")
    fine(ask(ada, CREATE_FILES, entity=run.entity, project=run.project, run=run.uid, files=[name]), 400)


def test_keys_are_kept(ada: Wire, world: World) -> None:
    found = read(ada, world.run)["run"]
    assert set(NAMES) <= set(json.loads(found["config"]))
    assert set(KEYS) <= set(json.loads(found["summaryMetrics"]))
    row = json.loads(found["history"][2])
    assert {key: row[stored(key)] for key in KEYS} == {key: at + 2 for at, key in enumerate(KEYS)}


def walk(world: World) -> Iterator[tuple[str, str, Any]]:
    """Yield (name of the route, address, answer) of every page and part of the project, run and version."""
    place = place_of(world.version)
    names: dict[str, Any] = {
        "entity": world.run.entity, "project": world.run.project, "uid": world.run.uid,
        "type": place.collection.type.name, "name": place.collection.name, "label": place.label,
        "group": NAMES[0], "rest": NAMES[0],
    }  # fmt: skip
    for route, pattern, _view in url_patterns():
        wanted = re.findall(r"<(?:\w+:)?(\w+)>", pattern)
        if (
            ":" not in route
            or "project" not in wanted
            or not set(wanted) <= names.keys()
            or "api/" in pattern
        ):
            continue
        address = reverse(route, kwargs={name: names[name] for name in wanted})
        query: dict[str, Any] = {
            "group": "state",
            "run": world.run.uid,
            "step": 0,
            "key": KEYS[0],
            "keys": KEYS[:6],
        }
        yield route, address, world.browser.get(address, query)


def test_every_page_opens(world: World) -> None:
    found = {route: answer.status_code for route, _address, answer in walk(world)}
    opened = [route for route, status in found.items() if status == 200]
    assert len(opened) > 50, found
    assert {status for status in found.values() if status >= 500} == set()


def test_keys_are_on_pages(world: World) -> None:
    base, query = f"/{world.run.entity}/{world.run.project}", {"run": world.run.uid}
    keys = {stored(key) for key in KEYS if not key.startswith("_")}
    for address in (f"{base}/keys", f"{world.run.page}/keys"):
        found = world.browser.get(address, query).json()
        assert keys <= {one["key"] for one in found["keys"]}, address
    for part in ("config", "summary"):
        nodes = world.browser.get(f"{world.run.page}/values/{part}").json()["nodes"]
        assert set(map(stored, KEYS)) <= {node[0] for node in nodes}, part
    series = world.browser.get(f"{base}/series", {**query, "keys": sorted(keys)}).json()["series"]
    assert keys == series[world.run.uid].keys()
    columns = world.browser.get(f"{base}/runs", {"part": "columns"}).json()["columns"]
    assert {f"config.{stored(name)}" for name in NAMES} <= {canonical(one["name"]) for one in columns}


def links_in(answer: Any) -> Iterator[dict[str, str]]:
    """Yield the attributes of links, boxes and lists on a page, as browsers read them."""
    for tag in re.findall(r"<(?:a|input|ul) [^>]*>", answer.content.decode()):
        yield {name: html.unescape(value) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag)}


def rows_of(browser: Client, address: str) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Yield (link to the preview, link to the download) of each file on a page and in its folders."""
    answer = browser.get(address, headers={"HX-Request": "true"} if "?folder=" in address else None)
    assert answer.status_code == 200, address
    links = list(links_in(answer))
    previews = [link for link in links if link.get("href", "").startswith("?preview=")]
    downloads = [link for link in links if "/files/" in link.get("href", "")]
    yield from zip(previews, downloads, strict=True)
    for link in links:
        if "?folder=" in link.get("hx-get", ""):
            yield from rows_of(browser, link["hx-get"])


def downloaded(http: httpx.Client, browser: Client, address: str) -> bytes:
    """Follow a link, of which browsers and proxies leave no part out."""
    assert {"", ".", ".."}.isdisjoint(map(unquote, address.split("/")[1:]))
    answer = browser.get(address)
    assert answer.status_code == 302, address
    return http.get(answer.headers["Location"]).content


@pytest.mark.parametrize("of", ["run", "artifact"])
def test_files_are_listed_previewed_and_downloaded(ada: Wire, world: World, of: str) -> None:
    page = f"{world.run.page}/files" if of == "run" else version_page(place_of(world.version), "files")
    rows = list(rows_of(world.browser, page))
    names = set(map(stored, NAMES)) - ({"."} if of == "artifact" else set())
    assert sorted(preview["title"] for preview, _ in rows) == sorted(map(printable, names))
    original = {printable(stored(name)): name for name in NAMES}
    for preview, download in rows:
        content = content_of(original[preview["title"]])
        assert downloaded(ada.http, world.browser, download["href"]) == content
        shown = world.browser.get(page + preview["href"], headers={"HX-Request": "true"})
        assert preview["title"] in text_of(shown)


def test_media_frames_are_found_by_any_path(world: World) -> None:
    frame = f"{world.run.page}/media/frame/"
    for name in NAMES:
        reply = world.browser.get(
            frame + quote(url_path(stored(name)), safe="/"), headers={"Sec-Fetch-Dest": "iframe"}
        )
        assert reply.status_code == 200, name
        assert content_of(name) in reply.content


def test_rest_lists_and_gives_files(ada: Wire, world: World) -> None:
    version = place_of(world.version)
    places = {
        f"/api/v1/runs/{world.row.pk}/files/": "name",
        f"/api/v1/artifact-collections/{version.collection_id}/versions/{version.label}/files/": "path",
    }
    for place, field in places.items():
        listed = ada.http.get(place, params={"per_page": 100}).json()["results"]
        found = {one[field] for one in listed}
        for name in NAMES:
            if stored(name) == "." and field == "path":
                continue
            assert stored(name) in found
            for end in ("", "/"):
                reply = ada.http.get(place + quote(url_path(stored(name)), safe="/") + end)
                assert reply.status_code == 302, (name, reply.text)
                if not end:
                    assert ada.http.get(reply.headers["Location"]).content == content_of(name)


def test_the_archive_of_files_has_each(ada: Wire, world: World) -> None:
    archive = zipfile.ZipFile(io.BytesIO(body_of(world.browser.get(f"{world.run.page}/files.zip"))))
    assert {one: archive.read(one) for one in archive.namelist()} == {
        stored(name): content_of(name) for name in NAMES
    }


def test_files_are_deleted_by_the_form_of_the_page(ada: Wire, world: World) -> None:
    """Browsers send each end of a line in a form as two characters."""
    run = ada.begin("deleted-files")
    kept, gone = "kept\nfile", ["new\nline", "a\r\nb", "100%", "folder\n1/a", "folder\n1/b"]
    row = RunRow.objects.get(uid=run.uid)
    for name in [kept, *gone]:
        add_run_file(row, name)
    boxes = [box for box in links_in(world.browser.get(f"{run.page}/files")) if box.get("type") == "checkbox"]
    boxes = [box for box in boxes if box.get("name") in {"name", "folder"}]
    assert len(boxes) == len(gone) + 2
    chosen: dict[str, list[str]] = {"name": [], "folder": []}
    for box in boxes:
        if "kept" not in box["value"]:
            chosen[box["name"]].append(re.sub("\r\n?|\n", "\r\n", box["value"]))
    assert world.browser.post(f"{run.page}/delete-files", chosen).status_code == 302
    assert list(row.files.values_list("name", flat=True)) == [kept]


def test_exports_have_each_key(world: World) -> None:
    base = f"/{world.run.entity}/{world.run.project}"
    table = body_of(world.browser.get(f"{base}/runs.csv")).decode()
    head, *_rows = csv.reader(io.StringIO(table, newline=""))
    assert {f"config.{stored(name)}" for name in NAMES} <= set(map(canonical, head))
    lines = body_of(world.browser.get(f"{base}/runs.jsonl")).splitlines()
    assert {f"summary.{stored(key)}" for key in KEYS} <= set(map(canonical, json.loads(lines[0])))
    keys = set(map(stored, KEYS))
    rows = body_of(world.browser.get(f"{world.run.page}/export/history.jsonl")).splitlines()
    assert keys <= json.loads(rows[0]).keys()
    table = body_of(world.browser.get(f"{world.run.page}/export/history.csv")).decode()
    head, *_rows = csv.reader(io.StringIO(table, newline=""))
    assert keys <= {*head, *(name.removeprefix("'") for name in head)}


def test_the_archive_of_a_team_has_each_file(world: World) -> None:
    export = exports.request_export(
        actor=actor(User.objects.get(username="ada")), team=world.row.project.team
    )
    make_exports()
    export.refresh_from_db()
    assert export.blob is not None, export.error
    archive = zipfile.ZipFile(io.BytesIO(path_of(export.blob.location).read_bytes()))
    place = f"projects/{world.run.project}/runs/{world.row.pk}/files/"
    found = {one.removeprefix(place) for one in archive.namelist() if one.startswith(place)}
    assert found == set(map(stored, NAMES))
    assert archive.testzip() is None


def test_artifacts_have_names_that_paths_can_carry_or_are_refused(world: World) -> None:
    root = f"/{world.run.entity}/{world.run.project}/artifacts"
    allowed = []
    for name in NAMES:
        kept = stored(name).strip()
        if not kept or len(kept) > MAX_NAME or not kept.isprintable() or set("/:") & set(kept) or kept == ".":
            with pytest.raises(Invalid, match="must"):
                check_name(name, "artifact name")
            continue
        version = make_version(world.row.project, name, {"a.txt": b"1"}, type_name=name, aliases=[name])
        allowed.append(version.collection.name)
    assert len(allowed) > 30
    for name in allowed:
        part = quote(name, safe="")
        answer = world.browser.get(f"{root}/{part}/{part}/{part}")
        assert answer.status_code == 200, name
        assert " ".join(name.split()) in " ".join(text_of(answer).split())
