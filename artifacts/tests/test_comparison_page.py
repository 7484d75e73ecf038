"""The page that compares two versions, and the Artifacts tab of a run."""

import re
from collections.abc import Callable
from html import unescape

import numpy as np
import pytest
from django.test import Client

from access.actor import SYSTEM
from artifacts.lineage.services import use_version
from artifacts.previews.comparison import MOST_LINES
from artifacts.tests.factories import make_version
from artifacts.tests.pages import page_of, tab_of, text_of
from demo.media import png, sample_picture
from runs.models import Project
from storage.filesystem import path_of
from storage.signed_urls import tickets
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db
Compared = Callable[..., str]


@pytest.fixture
def project() -> Project:
    return ProjectFactory(name="vision")


@pytest.fixture
def visit(client: Client, project: Project) -> Client:
    """Give the browser of a member of the team."""
    client.force_login(make_member(project.team))
    return client


def picture(seed: int) -> bytes:
    return png(sample_picture(np.random.default_rng(seed), 0.1))


@pytest.fixture
def compared(visit: Client, project: Project) -> Compared:
    """Give the page that compares two versions with other files and metadata."""
    shared = {"same.txt": b"same", "old-name.bin": b"moved", "t.csv": b"id,n\n1,5\n2,6\n3,7\n"}
    make_version(project, files={**shared, "p.png": picture(1), "gone.txt": b"1"}, metadata={"a": 1, "b": 2})
    later = {"same.txt": b"same", "new-name.bin": b"moved", "t.csv": b"id,n\n1,5\n2,60\n4,8\n"}
    version = make_version(
        project, files={**later, "p.png": picture(2), "come.txt": b"2"}, metadata={"a": 1, "b": 3}
    )

    def body(query: str = "") -> str:
        answer = visit.get(page_of(version, "compare", query))
        assert answer.status_code == 200
        return answer.content.decode()

    return body


def test_the_comparison_says_what_became_of_files_and_metadata(compared: Compared):
    body = compared()
    assert "1 added · 1 removed · 2 changed · 1 renamed · 1 unchanged" in body
    rows = [
        " ".join(re.sub(r"<[^>]*>", " ", row).split()) for row in re.findall(r"<tr.*?</tr>", body, re.DOTALL)
    ]
    assert "come.txt Added – 1 B" in rows
    assert "gone.txt Removed 1 B –" in rows
    assert "old-name.bin → new-name.bin Renamed 5 B 5 B" in rows
    assert "b 2 3" in rows
    assert not [row for row in rows if row.startswith(("same.txt", "a "))]
    assert "file=p.png" in body


def test_a_changed_picture_is_shown_of_both_versions_when_it_comes_into_view(
    compared: Compared,
):
    body = compared("?file=p.png")
    pictures = re.findall(r'<img loading="lazy" src="([^"]+)" alt="p.png, (v\d)"', body)
    assert [label for _, label in pictures] == ["v0", "v1"]
    read = [tickets.read_get(unescape(source).split("/")[3]) for source, _ in pictures]
    assert [path_of(ticket["l"]).read_bytes() for ticket in read] == [picture(1), picture(2)]
    assert re.findall(r'data-shows="(\w+)"', body) == ["sides", "divider", "difference"]
    assert 'type="range"' in body
    assert "js/artifact-compare.js" in body
    assert "js/artifact-compare.js" not in compared("?file=t.csv")


def test_changed_rows_of_a_table_are_matched_and_marked(compared: Compared):
    body = compared("?file=t.csv&key=id")
    assert "1 added · 1 removed · 1 changed · 1 unchanged" in body
    marked = re.findall(r'<mark class="diff-(\w+)">(.*?)</mark>', body)
    assert [(kind, re.sub("<[^>]*>", "", cell)) for kind, cell in marked] == [("old", "6"), ("new", "60")]


def test_changed_lines_of_a_text_are_shown_with_those_around(visit: Client, project: Project):
    lines = [f"line {number}" for number in range(40)]
    make_version(project, files={"a.yaml": "\n".join(lines).encode()})
    lines[20] = "<b>other</b>"
    version = make_version(project, files={"a.yaml": "\n".join(lines).encode()})
    body = visit.get(page_of(version, "compare", "?file=a.yaml")).content.decode()
    shown = re.findall(r'<span class="diff-line diff-(\w+)">(.*?)\n</span>', body)
    assert ("removed", "− line 20") in shown
    assert ("added", "+ &lt;b&gt;other&lt;/b&gt;") in shown
    assert [text for kind, text in shown if kind == "same"] == [
        f"  line {n}" for n in (17, 18, 19, 21, 22, 23)
    ]


def test_texts_of_too_many_lines_are_shown_side_by_side(visit: Client, project: Project):
    many = b"x\n" * (MOST_LINES + 1)
    make_version(project, files={"a.txt": many})
    version = make_version(project, files={"a.txt": many + b"y\n"})
    body = visit.get(page_of(version, "compare", "?file=a.txt")).content.decode()
    assert "diff-line" not in body
    assert "artifact-sides" in body


def test_a_comparison_with_what_is_not_there_is_not_found(visit: Client, project: Project):
    version = make_version(project)
    assert visit.get(page_of(version, "compare", "?with=v7")).status_code == 404
    assert "This artifact has one version." in text_of(visit.get(page_of(version, "compare")))


# The tab of a run


def test_a_run_shows_its_inputs_and_outputs_as_lists_and_as_a_graph(visit: Client, project: Project):
    """ART-4."""
    run = RunFactory(project=project, display_name="train")
    data = make_version(
        project, "data", run=RunFactory(project=project, display_name="prep"), type_name="dataset"
    )
    use_version(actor=SYSTEM, run=run, version=data)
    make_version(project, "weights", {"a": b"1"}, run=run)
    answer = visit.get(tab_of(run))
    document = answer.context["document"]
    titles = {node["id"]: node["title"] for node in document["nodes"]}
    assert {(titles[edge["from"]], titles[edge["to"]]) for edge in document["edges"]} == {
        ("prep", "data:v0"), ("data:v0", "train"), ("train", "weights:v0"),
    }  # fmt: skip
    assert [node["title"] for node in document["nodes"] if node["is_focus"]] == ["train"]
    text = text_of(answer)
    assert "Outputs 1" in text
    assert "Inputs 1" in text
    assert "js/artifact-lineage.js" in answer.content.decode()


def test_a_run_without_artifacts_loads_no_graph(visit: Client, project: Project):
    run = RunFactory(project=project)
    answer = visit.get(tab_of(run))
    assert "No artifacts" in text_of(answer)
    assert "data-lineage" not in answer.content.decode()
