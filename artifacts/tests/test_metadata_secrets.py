"""What looks like a secret in metadata: read by who may edit the artifact, masked for all others, as a run's config."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from accounts.models import User
from artifacts.access import shown_metadata
from artifacts.models import Version
from artifacts.tests.factories import make_version, place_of
from ingest.key_scopes import LOG_RUNS
from runs.models import Project
from teams.models import Visibility
from tests.factories import ProjectFactory, actor, basic, make_key, make_member
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

METADATA = {"accuracy": 0.93, "db": {"password": "Tr0ub4dor&3"}}


@pytest.fixture
def project() -> Project:
    return ProjectFactory(visibility=Visibility.PUBLIC)


@pytest.fixture
def version(project: Project) -> Version:
    return make_version(project, metadata=METADATA, by=actor(make_member(project.team)))


def by_rest(user: User, version: Version) -> Any:
    place = place_of(version)
    path = f"/api/v1/artifact-collections/{place.collection_id}/versions/{place.label}/"
    return Client().get(path, headers={"Authorization": basic(make_key(user))}).json()["metadata"]


def by_graphql(user: User, version: Version) -> Any:
    query = (
        "query A($e: String!, $p: String!) { project(name: $p, entityName: $e)"
        ' { artifact(name: "model:v0") { metadata } } }'
    )
    names = {"e": version.project.team.name, "p": version.project.name}
    return json.loads(Asker(user).ask(query, **names).data["project"]["artifact"]["metadata"])


@pytest.mark.parametrize("read", [by_rest, by_graphql])
def test_who_may_not_edit_an_artifact_reads_its_secrets_masked(
    version: Version, read: Callable[[User, Version], Any]
) -> None:
    team = version.project.team
    for user in (make_member(team, Preset.VIEW_ONLY), make_member(ProjectFactory().team)):
        shown = read(user, version)
        assert shown["accuracy"] == 0.93
        assert "Tr0ub4dor&3" not in json.dumps(shown)
        assert shown.keys() == METADATA.keys()
    assert read(make_member(team), version) == METADATA


def test_pages_mask_it_for_everybody(version: Version, client: Client) -> None:
    client.force_login(make_member(version.project.team, Preset.ADMIN))
    names = (version.project.team.name, version.project.name, "model", "model", "v0")
    page = client.get(reverse("artifacts:version", args=names))
    assert page.status_code == 200
    assert "0.93" in page.content.decode()
    assert "Tr0ub4dor" not in page.content.decode()


def test_a_key_that_only_logs_reads_back_what_it_logged(version: Version) -> None:
    """SDKs take what the server answers for the metadata of what they have just logged."""
    assert version.created_by is not None
    owner = replace(actor(version.created_by), scopes=LOG_RUNS)
    other = replace(actor(make_member(version.project.team)), scopes=LOG_RUNS)
    assert json.loads(shown_metadata(owner, version)) == METADATA
    assert json.loads(shown_metadata(other, version)) != METADATA
