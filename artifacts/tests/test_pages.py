"""Pages of artifacts: who sees what of them, names that would harm, what they cost, and what is changed on them."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.lineage.services import use_version
from artifacts.models import Version
from artifacts.pages.addresses import collection_page, trash_page
from artifacts.tests.factories import make_version, place_of
from artifacts.tests.pages import act_of, list_of, page_of, tab_of, text_of
from artifacts.versions.aliases import add_aliases
from artifacts.versions.links import link_version
from artifacts.versions.services import Changes, update_version
from runs.models import Project, Run
from teams.models import Visibility
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db
PARTS = ("version", "files", "lineage", "compare")
HTMX = {"HX-Request": "true"}
OFFERED = ("tag-remove", "tag-form", 'data-opens="version', 'data-opens="collection')
HOSTILE = (
    "<script>alert(1)</script>.txt", "<img src=x onerror=alert(1)>.csv", '"onmouseover="alert(1)', "{{ 7|add:7 }}",
    "\u202egnp.exe",
)  # fmt: skip


@pytest.fixture
def project() -> Project:
    return ProjectFactory(name="vision")


@pytest.fixture
def visit(client: Client, project: Project) -> Client:
    """Give the browser of a member of the team."""
    client.force_login(make_member(project.team))
    return client


# Who sees what


def test_who_may_only_look_sees_names_but_no_content(client: Client, project: Project):
    """TEAM-21: a preview and a comparison are downloads."""
    make_version(project, files={"a.txt": b"the first\n"})
    version = make_version(project, files={"a.txt": b"the content\n"})
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    answer = client.get(page_of(version, "files", "?preview=a.txt"))
    assert "a.txt" in text_of(answer)
    assert "you need the permission “Download artifacts”" in text_of(answer)
    body = answer.content.decode()
    assert "the content" not in body
    assert "?preview=" not in body
    assert "/files/a.txt" not in body
    for part in ("version", "lineage"):
        assert client.get(page_of(version, part)).status_code == 200
        assert page_of(version, "compare") not in client.get(page_of(version, part)).content.decode()
    assert client.get(page_of(version, "compare")).status_code == 403
    assert client.get(page_of(version, "compare", "?file=a.txt")).status_code == 403
    assert client.get(f"{page_of(version, 'files')}/a.txt").status_code == 403


def test_who_may_only_look_is_offered_no_change_and_can_make_none(client: Client, project: Project):
    """TEAM-21."""
    version = make_version(project)
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    for address in (page_of(version), collection_page(version.collection)):
        body = client.get(address).content.decode()
        offered = (*OFFERED, 'name="protected"')
        assert [mark for mark in offered if mark in body] == []
    for address, sent in (
        (page_of(version, "version_update"), {"description": "x"}),
        (page_of(version, "version_aliases"), {"add": "x"}),
        (page_of(version, "version_delete"), {}),
        (act_of(version, "collection_update"), {"description": "x"}),
        (act_of(version, "collection_delete"), {}),
        (act_of(version, "versions_delete"), {"version": "0"}),
        (act_of(version, "versions_restore"), {"version": str(version.pk)}),
    ):
        assert client.post(address, sent).status_code == 403, address


@pytest.mark.parametrize("is_signed_in", [True, False])
def test_a_private_project_has_no_such_pages(client: Client, project: Project, *, is_signed_in: bool):
    version = make_version(project)
    if is_signed_in:
        client.force_login(make_member(ProjectFactory().team))
    pages = [page_of(version, part) for part in PARTS]
    for address in [list_of(project), collection_page(version.collection), trash_page(project), *pages]:
        answer = client.get(address, HTTP_ACCEPT="text/html")
        assert answer.status_code == (404 if is_signed_in else 302), address
        assert "model" not in text_of(answer)


def test_strangers_see_the_names_in_a_public_project(client: Client):
    project = ProjectFactory(visibility=Visibility.PUBLIC)
    version = make_version(project, files={"a.txt": b"the content\n"})
    for address in (
        list_of(project),
        collection_page(version.collection),
        page_of(version),
        page_of(version, "files"),
    ):
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "the content" not in answer.content.decode()
    assert client.get(f"{page_of(version, 'files')}/a.txt").status_code in {302, 403}
    assert client.get(page_of(version, "files", "?preview=a.txt")).content.decode().count("the content") == 0


def test_links_into_projects_that_are_hidden_are_not_named(visit: Client, project: Project):
    version = make_version(project)
    elsewhere = ProjectFactory(name="hidden-project")
    link_version(actor=SYSTEM, version=version, project=elsewhere, name="secret-portfolio")
    link_version(actor=SYSTEM, version=version, project=project, name="released")
    text = text_of(visit.get(page_of(version)))
    assert "released :v0" in text  # the number is in a shade of its own
    assert "secret-portfolio" not in text
    assert "hidden-project" not in text


# Names that would harm


def test_names_are_shown_as_they_are_and_run_nothing(visit: Client, project: Project):
    """Files, metadata, types, tags and aliases are named by programs."""
    version = make_version(
        project, "x<b>y", dict.fromkeys(HOSTILE, b"1"), type_name="<i>kind", tags=["<u>tag"],
        aliases=["<s>alias"], metadata={"<img src=y>": "<script>alert(2)</script>"},
        description="# Title\n\n<script>alert(3)</script> [go](javascript:alert(4))",
    )  # fmt: skip
    other = make_version(project, "x<b>y", dict.fromkeys(HOSTILE, b"2"), type_name="<i>kind")
    addresses = [
        list_of(project),
        collection_page(version.collection),
        *(page_of(version, part) for part in PARTS),
    ]
    addresses += [
        page_of(other, "compare", f"?file={HOSTILE[0]}"),
        page_of(version, "files", f"?preview={HOSTILE[0]}"),
    ]
    for address in addresses:
        answer = visit.get(address)
        assert answer.status_code == 200, address
        body = answer.content.decode()
        for mark in (
            "<script>alert",
            "<img src=x",
            "<img src=y",
            "<b>y",
            "<i>kind",
            "<u>tag",
            "<s>alias",
            'href="javascript:',
        ):
            assert mark not in body, (address, mark)
        assert 'onmouseover="alert' not in body
    assert "<i>kind" in text_of(visit.get(list_of(project)))
    assert "{{ 7|add:7 }}" in text_of(visit.get(page_of(version, "files")))


def test_a_name_that_turns_its_direction_is_seen_to_do_so(visit: Client, project: Project):
    """U+202E makes “gnp.exe” be read as “exe.png”."""
    make_version(project, files={"\u202egnp.exe": b"1"})
    version = make_version(project, files={"\u202egnp.exe": b"2"})
    text = text_of(visit.get(page_of(version, "compare")))
    assert "\\u202egnp.exe" in text
    assert "\u202e" not in text


@pytest.mark.parametrize("name", ["page.html", "drawing.svg"])
def test_a_file_that_could_run_is_only_shown_as_what_cannot(visit: Client, project: Project, name: str):
    content = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    version = make_version(project, files={name: content})
    body = visit.get(page_of(version, "files", f"?preview={name}")).content.decode()
    assert "<script>alert" not in body
    assert not re.search("<(iframe|object|embed)", body)
    shown = re.findall(r'<img src="/storage/get/', body)
    assert len(shown) == (1 if name == "drawing.svg" else 0)  # a script in a picture does not run
    assert ("&lt;script&gt;alert" in body) == (name == "page.html")


# What pages cost


def _costs(visit: Client, addresses: Iterable[str]) -> list[int]:
    """Return the number of queries of each page, after it was opened once."""
    found = []
    for address in addresses:
        visit.get(address)
        with CaptureQueriesContext(connection) as queries:
            assert visit.get(address).status_code == 200, address
        found.append(len(queries))
    return found


def _grow(project: Project, run: Run, *, since: int, until: int) -> Version:
    """Log versions, each with aliases, tags, a link, and runs that use it; return the newest."""
    version = make_version(project, "data", {"a.txt": f"{since}".encode()}, run=run, type_name="dataset")
    for number in range(since, until):
        files = {f"{at}/{number}.txt": f"{number}".encode() for at in range(number + 2)}
        version = make_version(
            project, "data", files, run=run, aliases=[f"a{number}", f"b{number}"], tags=["t", f"t{number}"],
            type_name="dataset",
        )  # fmt: skip
        make_version(project, f"c{number}", type_name=f"t{number}", run=run, tags=["t"])
        for portfolio in range(number + 1):
            link_version(actor=SYSTEM, version=version, project=project, name=f"portfolio{portfolio}")
        use_version(actor=SYSTEM, run=RunFactory(project=project), version=version)
        add_aliases(actor=SYSTEM, membership=place_of(version), names=[f"again{number}"])
    use_version(actor=SYSTEM, run=run, version=version)
    return version


def test_pages_cost_the_same_for_more_rows(visit: Client, project: Project):
    """Collections, versions, links, aliases, tags, files, users and inputs in lists take no queries of their own."""
    run = RunFactory(project=project)
    few = _grow(project, run, since=1, until=3)

    def pages(version: Version) -> list[str]:
        files = page_of(version, "files", f"?preview={version.entries.order_by('path')[0].path}")
        parts = [page_of(version, part) for part in ("version", "files", "compare")]
        return [
            list_of(project),
            collection_page(version.collection),
            trash_page(project),
            tab_of(run),
            files,
            *parts,
        ]

    before = _costs(visit, pages(few))
    many = _grow(project, run, since=4, until=8)
    assert dict(zip(pages(many), _costs(visit, pages(many)), strict=True)) == dict(
        zip(pages(many), before, strict=True)
    )
    assert max(before) <= 45


def test_the_graph_costs_the_same_for_more_runs_and_versions(visit: Client, project: Project):
    version = make_version(project, "data", run=RunFactory(project=project), type_name="dataset")

    def use(count: int) -> None:
        for number in range(count):
            run = RunFactory(project=project)
            use_version(actor=SYSTEM, run=run, version=version)
            make_version(project, f"model{run.pk}", {"a": f"{number}".encode()}, run=run)

    use(1)
    before = _costs(visit, [page_of(version, "lineage")])
    use(5)
    assert _costs(visit, [page_of(version, "lineage")]) == before


# Parts that HTMX loads


@pytest.mark.parametrize(
    ("query", "has", "lacks"),
    [
        ("?folder=inner/", "inner/b.txt", "a.txt"),
        ("?search=B.TX", "inner/b.txt", "a.txt"),
        ("?preview=a.txt", "some words", "inner/b.txt"),
    ],
)
def test_parts_of_the_files_are_loaded_by_themselves(
    visit: Client, project: Project, query: str, has: str, lacks: str
):
    version = make_version(project, files={"a.txt": b"some words", "inner/b.txt": b"2"})
    body = visit.get(page_of(version, "files", query), headers=HTMX).content.decode()
    assert has in body
    assert lacks not in body
    assert "<html" not in body
    assert "<html" in visit.get(page_of(version, "files", query)).content.decode()


def test_the_search_of_collections_loads_the_list_alone(visit: Client, project: Project):
    make_version(project, "cats")
    make_version(project, "dogs")
    body = visit.get(f"{list_of(project)}?search=CAT", headers=HTMX).content.decode()
    assert ">cats</a>" in body
    assert "dogs" not in body
    assert "<html" not in body


# Deletion


def _undo(visit: Client, answer: Any, version: Version) -> Any:
    """Send the form that offers to undo a deletion, as a browser does."""
    form = re.search(
        rf'<form[^>]*action="{act_of(version, "versions_restore")}".*?</form>',
        answer.content.decode(),
        re.DOTALL,
    )
    assert form
    sent: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]):
        sent.setdefault(name, []).append(value)
    return visit.post(act_of(version, "versions_restore"), sent, follow=True)


def test_a_version_is_deleted_and_the_deletion_undone(visit: Client, project: Project):
    version = make_version(project, aliases=["best"])
    answer = visit.post(page_of(version, "version_delete"), follow=True)
    assert "1 version deleted." in text_of(answer)
    assert visit.get(page_of(version)).status_code == 404
    assert "restored." in text_of(_undo(visit, answer, version))
    assert "best" in text_of(visit.get(page_of(version)))
    assert "version deleted" not in text_of(visit.get(collection_page(version.collection)))


def test_several_versions_are_deleted_at_once_but_not_protected_ones(visit: Client, project: Project):
    versions = [make_version(project, files={"a": f"{number}".encode()}) for number in range(3)]
    update_version(actor=SYSTEM, version=versions[1], changes=Changes(is_protected=True))
    chosen = {"version": ["0", "1", "2", "x", "99"]}
    answer = visit.post(act_of(versions[0], "versions_delete"), chosen, follow=True)
    assert "2 versions deleted." in text_of(answer)
    assert [
        message.tags for message in answer.context["messages"] if "protected" in str(message).lower()
    ] == ["error"]
    assert [one.pk for one in Version.objects.live()] == [versions[1].pk]
    _undo(visit, answer, versions[0])
    assert Version.objects.live().count() == 3


@pytest.mark.parametrize("protects", ["version", "collection"])
def test_what_is_protected_is_not_deleted_and_the_page_says_why(
    visit: Client, project: Project, protects: str
):
    version = make_version(project)
    address = (
        page_of(version, "version_update") if protects == "version" else act_of(version, "collection_update")
    )
    visit.post(address, {"protected": "on"})
    says = "is protected from deletion; remove the protection first."
    assert says in text_of(visit.post(page_of(version, "version_delete"), follow=True))
    assert "protected" in text_of(visit.post(act_of(version, "collection_delete"), follow=True))
    assert Version.objects.live().count() == 1


def test_a_collection_is_deleted_and_restored_from_its_page(visit: Client, project: Project):
    version = make_version(project, "cats")
    answer = visit.post(act_of(version, "collection_delete"), follow=True)
    assert answer.redirect_chain[-1][0] == trash_page(project)
    assert "“cats” deleted." in text_of(answer)
    [key] = re.findall(r'value="(collection-\d+)"', answer.content.decode())
    assert "“cats” restored." in text_of(visit.post(trash_page(project), {"restore": key}, follow=True))
    assert visit.get(page_of(version)).status_code == 200
