"""Collections that are deleted and restored (ART-1, ART-2)."""

import pytest

from access.actor import SYSTEM
from artifacts.collections.services import delete_collection, restore_collection
from artifacts.models import Alias, Membership
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


def test_a_restored_portfolio_has_its_links_numbers_and_aliases_again() -> None:
    project = ProjectFactory()
    versions = [make_version(project, files={"a": bytes([number])}) for number in range(3)]
    links = [
        link_version(actor=SYSTEM, version=row, project=project, name="best", aliases=[f"n{row.pk}"])
        for row in versions
    ]
    portfolio = links[-1].collection
    delete_collection(actor=SYSTEM, collection=portfolio)
    assert not Membership.objects.filter(collection=portfolio).exists()
    delete_version(actor=SYSTEM, version=versions[2], with_aliases=True)
    restore_collection(actor=SYSTEM, collection=portfolio)
    places = Membership.objects.filter(collection=portfolio).order_by("index")
    assert list(places.values_list("index", "version")) == [(0, versions[0].pk), (1, versions[1].pk)]
    aliases = Alias.objects.filter(collection=portfolio).values_list("name", "membership__index")
    assert set(aliases) == {(f"n{versions[0].pk}", 0), (f"n{versions[1].pk}", 1), ("latest", 1)}
