"""Where the addresses lead that SDKs print of versions in registries (ART-5)."""

import pytest
from django.test import Client

from access.actor import SYSTEM
from artifacts.registries.services import ensure_model_registry
from artifacts.versions.links import link_version
from tests.factories import TeamFactory, make_member
from wandb_api.tests.registries.conftest import Acme, acme

__all__ = ["acme"]
pytestmark = pytest.mark.django_db

OF_ORGANIZATION = (
    "/orgs/acme/registry/shared?selectionPath=acme%2Fwandb-registry-shared%2Fnet&view=membership"
)
COLLECTION = "/acme/wandb-registry-shared/artifacts/model/net"


def leads_to(acme: Acme, address: str) -> str:
    client = Client()
    client.force_login(acme.someone().user)
    reply = client.get(address)
    assert reply.status_code == 302
    return str(reply["Location"])


@pytest.mark.parametrize(
    ("address", "page"),
    [
        (f"{OF_ORGANIZATION}&version=v0", f"{COLLECTION}/v0"), (f"{OF_ORGANIZATION}&version=best", f"{COLLECTION}/v0"),
        (OF_ORGANIZATION, COLLECTION), (f"{OF_ORGANIZATION}&version=v7", COLLECTION),
        ("/orgs/acme/registry/shared", "/registry/acme/shared"), ("/orgs/acme/registry", "/registry/acme"),
        ("/orgs/acme/registry/shared/settings", "/registry/acme/shared"),
        ("/orgs/acme/registry/shared?selectionPath=a", "/registry/acme/shared"),
        ("/vision/registry/model", "/registry/vision/model-registry"),
    ],
)  # fmt: skip
def test_an_address_leads_to_what_it_selects(acme: Acme, address: str, page: str):
    assert leads_to(acme, address) == page


def test_the_older_address_leads_to_a_version_of_the_team_s_registry(acme: Acme):
    registry = ensure_model_registry(actor=SYSTEM, team=acme.ops)
    link_version(actor=SYSTEM, version=acme.place.version, project=registry.project, name="net")
    selected = "selectionPath=ops%2Fmodel-registry%2Fnet&view=membership&version=v0"
    page = leads_to(acme, f"/ops/registry/model?{selected}")
    assert page == "/ops/model-registry/artifacts/model/net/v0"


def test_what_is_hidden_is_not_told(acme: Acme):
    stranger = Client()
    stranger.force_login(make_member(TeamFactory()))
    for client in (stranger, Client()):
        assert client.get(f"{OF_ORGANIZATION}&version=v0")["Location"] == "/registry/acme/shared"
