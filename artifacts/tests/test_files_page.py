"""The files of a version, as their page shows them (ART-4)."""

import re

import pytest
from django.test import Client

from artifacts.models import Entry, Version
from artifacts.pages.addresses import version_page
from artifacts.tests.factories import make_version, place_of
from common.web.file_tree import FILES_A_PAGE
from tests.factories import ProjectFactory, make_member

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def version(client: Client) -> Version:
    """Give a version whose files a member of the team looks at."""
    version = make_version(
        ProjectFactory(name="vision"), "data", {"top.txt": b"hello\n"}, type_name="dataset"
    )
    client.force_login(make_member(version.project.team))
    return version


def add_entries(version: Version, names: list[str]) -> None:
    Entry.objects.bulk_create(
        [Entry(version=version, path=name, digest="e", size_bytes=10) for name in names]
    )


def names_in(page: str) -> list[str]:
    return re.findall(r'class="file-name[^>]*>([^<]+)<', page)


def test_a_few_files_are_shown_with_all_their_folders(client: Client, version: Version):
    add_entries(version, ["images/cats/1.png", "images/2.png"])
    page = client.get(version_page(place_of(version), "files")).content.decode()
    assert names_in(page) == ["images", "cats", "1.png", "2.png", "top.txt"]


def test_thousands_of_files_are_shown_folder_by_folder(client: Client, version: Version):
    add_entries(version, [f"images/{n % 4}/{n:04}.png" for n in range(1000)])
    add_entries(version, [f"flat/{n:04}.bin" for n in range(450)])
    address = version_page(place_of(version), "files")
    assert names_in(client.get(address).content.decode()) == ["flat", "images", "top.txt"]
    first = client.get(address, {"folder": "flat/"}, headers=HTMX).content.decode()
    assert len(names_in(first)) == FILES_A_PAGE
    assert f"{address}?folder=flat%2F&amp;start={FILES_A_PAGE}" in first
    last = client.get(
        address, {"folder": "flat/", "start": str(2 * FILES_A_PAGE)}, headers=HTMX
    ).content.decode()
    assert names_in(last) == [f"{n:04}.bin" for n in range(400, 450)]


def test_a_search_finds_files_in_all_folders(client: Client, version: Version):
    add_entries(version, [f"images/{n}.PNG" for n in range(100)])
    found = client.get(version_page(place_of(version), "files"), {"search": "s/42.p"}, headers=HTMX)
    assert names_in(found.content.decode()) == ["images/42.PNG"]
