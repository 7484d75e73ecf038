"""The lineage of a version as its page gives it to the script, and as a table beside it (ART-4)."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from access.actor import SYSTEM
from artifacts.lineage.services import use_version
from artifacts.models import Version
from artifacts.pages.addresses import version_page
from artifacts.tests.factories import make_version, place_of
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def logged() -> Version:
    """Give a dataset that one run logged, another used, and so did a run of a project that is hidden."""
    project = ProjectFactory(name="vision")
    version = make_version(
        project, "data", run=RunFactory(project=project, display_name="prep"), type_name="dataset"
    )
    use_version(actor=SYSTEM, run=RunFactory(project=project, display_name="train"), version=version)
    use_version(actor=SYSTEM, run=RunFactory(display_name="secret"), version=version)
    return version


@pytest.fixture
def page(client: Client, logged: Version) -> str:
    """Give the page as a member of the team sees it."""
    client.force_login(make_member(logged.project.team))
    return client.get(version_page(place_of(logged), "lineage")).content.decode()


def document_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    document: dict[str, Any] = json.loads(found[1])
    return document


def test_the_script_finds_the_graph_in_the_page(page: str):
    nodes = {node["title"]: node for node in document_of(page)["nodes"]}
    assert nodes["data:v0"]["is_focus"]
    assert (nodes["data:v0"]["type"], nodes["data:v0"]["kind"]) == ("dataset", "version")
    ways = {(edge["from"], edge["to"], edge["kind"]) for edge in document_of(page)["edges"]}
    assert (nodes["prep"]["id"], nodes["data:v0"]["id"], "output") in ways
    assert (nodes["data:v0"]["id"], nodes["train"]["id"], "input") in ways


def test_the_list_has_the_same_and_what_is_hidden_has_no_name_or_address(page: str):
    table = page[page.index("lineage-list") :]
    assert ">train</a>" in table
    assert "1 you cannot see" in table
    assert "secret" not in page
    hidden = [node for node in document_of(page)["nodes"] if node["kind"] == "hidden"]
    assert [(node["title"], node["url"]) for node in hidden] == [("1 you cannot see", "")]
