"""The page of a file with a table: groups that lead to their rows, and joins by hand (ART-4)."""

import json
import re

import pytest
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.pages.addresses import version_page
from artifacts.tests.factories import make_version, place_of
from artifacts.versions.links import link_version
from tests.factories import ProjectFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db

IMAGE = {"_type": "image-file", "path": "cat.png", "caption": "tabby"}


def table(columns, rows) -> bytes:
    return json.dumps({"_type": "table", "columns": columns, "data": rows, "nrows": len(rows)}).encode()


GUESSES = table(["id", "guess", "score"], [["a", "cat", 0.5], ["b", "dog", 0.7], ["c", "cat", 0.9]])
TRUTHS = table(["key", "truth", "img"], [["c", "bird", IMAGE], ["a", "cat", None], ["z", "fish", None]])


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def version(project):
    files = {
        "guesses.table.json": GUESSES,
        "own.table.json": table(["id", "more"], [["a", 1]]),
        "a.txt": b"a",
    }
    return make_version(project, "run", files)


@pytest.fixture
def member(client, project):
    client.force_login(make_member(project.team))


@pytest.fixture
def truths(project):
    return make_version(project, "truths", {"t.table.json": TRUTHS, "cat.png": b"png"})


def show(client, version, **query):
    page = version_page(place_of(version), "files")
    answer = client.get(page, {"preview": "guesses.table.json", **query})
    assert answer.status_code == 200
    return answer.content.decode()


def rows_of(page):
    body = page.rpartition("<tbody>")[2].partition("</tbody>")[0]
    cells = [re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL) for row in body.split("<tr>")[1:]]
    return [[re.sub(r"<[^>]*>", "", cell).strip() for cell in row] for row in cells]


@pytest.mark.usefixtures("member")
class TestGroups:
    def test_a_group_leads_to_its_rows_and_says_the_range_of_a_mean(self, client, version):
        page = show(client, version, group="guess")
        assert rows_of(page) == [["cat", "2", "0.7"], ["dog", "1", "0.7"]]
        assert 'title="From 0.5 to 0.9"' in page
        address = re.search(r'<th scope="row"><a href="([^"]*)"', page)
        assert address is not None
        found = client.get(reverse_of(version) + address[1].replace("&amp;", "&")).content.decode()
        assert [row[1] for row in rows_of(found)] == ["a", "c"]

    def test_groups_are_sorted_by_their_heads(self, client, version):
        assert [row[0] for row in rows_of(show(client, version, group="guess", sort="-guess"))] == [
            "dog",
            "cat",
        ]
        by_count = show(client, version, group="guess", sort="-")
        assert [row[1] for row in rows_of(by_count)] == ["2", "1"]
        assert by_count.count('aria-sort="descending"') == 1


def reverse_of(version) -> str:
    return version_page(place_of(version), "files")


@pytest.mark.usefixtures("member")
class TestJoins:
    def test_nothing_is_offered_until_a_join_is_begun(self, client, version):
        assert "join-paths" not in show(client, version)
        begun = show(client, version, join="")
        assert '<option value="own.table.json">' in begun
        assert '<option value="run:latest">' in begun
        assert '<option value="a.txt">' not in begun
        assert len(rows_of(begun)) == 3

    def test_a_table_of_the_same_version_is_joined_by_the_column_that_both_have(self, client, version):
        assert rows_of(show(client, version, join="own.table.json"))[0] == ["0", "a", "cat", "0.5", "1"]

    def test_a_table_of_another_collection_with_its_pictures(self, client, version, truths):
        """Each side's media are of its own version."""
        query = {"with": "truths:v0", "join": "t.table.json", "left": "id", "right": "key"}
        page = show(client, version, **query)
        assert [row[:5] for row in rows_of(page)] == [
            ["0", "a", "cat", "0.5", "cat"], ["1", "b", "dog", "0.7", "–"], ["2", "c", "cat", "0.9", "bird"],
            ["3", "z", "–", "–", "fish"],
        ]  # fmt: skip
        assert re.search(r'<img [^>]*src="/storage/get/[^"]*" alt="tabby"', page)
        inner = show(client, version, **query, how="inner", sort="-score")
        assert [row[1] for row in rows_of(inner)] == ["c", "a"]

    def test_the_columns_of_a_table_without_a_common_one_are_chosen(self, client, version, truths):
        page = show(client, version, **{"with": "truths", "join": "t.table.json"})
        assert '<option value="truth"' in page
        assert len(rows_of(page)[0]) == 4

    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ({"with": "nothing:v0", "join": "t.table.json"}, "doesn’t exist"),
            ({"with": "truths:v7", "join": "t.table.json"}, "doesn’t exist"),
            ({"with": "truths:v0", "join": "other.table.json"}, "has no file “other.table.json”"),
            ({"join": "a.txt"}, "not a table"),
        ],
    )
    def test_what_cannot_be_joined_is_explained_and_the_table_stays(
        self, client, version, truths, query, says
    ):
        page = show(client, version, **query)
        assert says in page
        assert len(rows_of(page)) == 3


def test_who_may_not_download_sees_neither_table(client, project, version, truths):
    """TEAM-21: a join is a download of both."""
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    page = show(client, version, **{"with": "truths:v0", "join": "t.table.json"})
    assert "table-wrap" not in page
    assert "join-paths" not in page


def test_a_linked_version_is_joined_in_the_project_of_its_link(client, project, version, truths):
    """Who sees a version by its link only learns no names of the project that it comes from."""
    elsewhere = ProjectFactory(team=TeamFactory())
    place = link_version(actor=SYSTEM, version=version, project=elsewhere, name="released")
    client.force_login(make_member(elsewhere.team))
    asked = {"preview": "guesses.table.json", "with": "truths:v0", "join": "t.table.json"}
    page = client.get(version_page(place, "files"), asked).content.decode()
    assert "doesn’t exist" in page
    assert project.name not in page
    own = client.get(version_page(place, "files"), asked | {"with": "released", "join": "own.table.json"})
    assert rows_of(own.content.decode())[0] == ["0", "a", "cat", "0.5", "1"]


def test_a_collection_that_is_not_seen_does_not_exist(client, version):
    """ART-4: of another project nothing can be named."""
    client.force_login(make_member(version.project.team))
    elsewhere = ProjectFactory(team=TeamFactory())
    make_version(elsewhere, "secret", {"t.table.json": TRUTHS})
    page = show(client, version, **{"with": "secret:v0", "join": "t.table.json"})
    assert "doesn’t exist" in page
    assert elsewhere.name not in page
    assert reverse("artifacts:artifacts", args=[version.project.team.name, version.project.name]) in page
