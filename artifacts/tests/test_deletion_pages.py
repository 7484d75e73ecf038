"""Deleting on the pages of a project and of a collection, and bringing back what was deleted."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.collections.services import delete_collection
from artifacts.models import Collection, Version
from artifacts.pages.addresses import trash_page
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import delete_version
from runs.models import Project
from tests.factories import ProjectFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(client: Client) -> Project:
    """Give a project that an admin of its team looks at."""
    project = ProjectFactory(name="vision")
    client.force_login(make_member(project.team, Preset.ADMIN))
    return project


def test_what_was_deleted_is_listed_and_restored(client: Client, project: Project):
    whole = make_version(project, "whole").collection
    first = make_version(project, "partly")
    make_version(project, "partly", {"b.txt": b"other\n"})
    delete_collection(actor=SYSTEM, collection=whole)
    delete_version(actor=SYSTEM, version=first, with_aliases=True)
    page = client.get(trash_page(project)).content.decode()
    keys = re.findall(r'name="restore" value="([^"]+)"', page)
    assert keys == [f"collection-{whole.pk}", f"version-{first.pk}"]
    for key in keys:
        client.post(reverse("artifacts:deleted", args=[project.team.name, project.name]), {"restore": key})
    assert Version.objects.live().count() == 3
    assert Collection.objects.live().count() == 2
    assert "Nothing deleted" in client.get(trash_page(project)).content.decode()
