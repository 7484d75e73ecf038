"""The region that a new version is to be stored in: what is stored elsewhere is refused, not taken."""

import pytest

from storage.models import Bucket
from tests.factories import ProjectFactory, TeamFactory, make_member
from wandb_api.tests.asking import Answer, Asker

pytestmark = pytest.mark.django_db

CREATE = """mutation C($region: String) { createArtifact(input: {entityName: "vision", projectName: "cifar",
  artifactTypeName: "model", artifactCollectionName: "net", digest: "d", digestAlgorithm: MANIFEST_MD5,
  storageRegion: $region}) { artifact { state } } }"""


@pytest.fixture
def vera() -> Asker:
    team = TeamFactory(name="vision")
    ProjectFactory(team=team, name="cifar")
    Bucket.objects.create(team=team, url="s3://own/here?region=eu-west-1", folder="f")
    return Asker(make_member(team))


def create(asker: Asker, region: str | None) -> Answer:
    return asker.ask(CREATE, region=region)


@pytest.mark.parametrize("region", [None, "", "default", "eu-west-1"])
def test_the_region_of_the_project_s_files_is_taken(vera: Asker, region: str | None) -> None:
    assert create(vera, region).data["createArtifact"]["artifact"]["state"] == "PENDING"


def test_another_is_refused_by_name(vera: Asker) -> None:
    answer = create(vera, "nowhere-1")
    assert answer.status == 400
    assert answer.messages == [
        "invalid storageRegion: nowhere-1. Files of this project are stored in default or eu-west-1."
    ]
