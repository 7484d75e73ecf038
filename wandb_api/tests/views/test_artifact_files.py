"""One file of an artifact by the address that SDKs put together themselves (ART-2, ART-7, TEAM-21)."""

import base64
import hashlib
from dataclasses import replace
from urllib.parse import quote

import pytest
from django.test import Client

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import User
from artifacts.drafts.commit import commit_version
from artifacts.manifests.document import write_manifest
from artifacts.manifests.ids import to_version_id
from artifacts.models import Version
from artifacts.registries.services import RegistryChanges, create_registry, update_registry
from artifacts.tests.factories import entries_for, make_draft, make_version, send_manifest
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from runs.models import Project
from teams.models import Visibility
from tests.factories import ProjectFactory, TeamFactory, UserFactory, make_key, make_member

pytestmark = pytest.mark.django_db

CONTENT = b"hello\n"
DIGEST = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()


@pytest.fixture
def project() -> Project:
    return ProjectFactory(team__name="vision", name="cifar")


@pytest.fixture
def version(project: Project) -> Version:
    return make_version(project, "net", {"sub/a.txt": CONTENT})


def address(version: Version, digest: str = DIGEST, *, of_version: bool = False) -> str:
    birth = quote(to_version_id(version.pk), safe="")
    inner = f"{birth}/" if of_version else ""
    return f"/artifactsV2/default/vision/cifar/net/{inner}{birth}/{digest}/a.txt"


def ask(path: str, user: User | None) -> tuple[int, str]:
    key = make_key(user) if user else ""
    basic = base64.b64encode(f"api:{key}".encode()).decode()
    answer = Client().get(path, headers={"Authorization": f"Basic {basic}"} if user else {})
    return answer.status_code, answer.headers.get("Location", "")


@pytest.mark.parametrize("of_version", [False, True])
def test_who_may_download_is_led_to_the_file(version: Version, project: Project, of_version: bool) -> None:
    status, location = ask(address(version, of_version=of_version), make_member(project.team))
    assert (status, location.startswith("/storage/get/")) == (302, True)


def test_others_are_not(version: Version, project: Project) -> None:
    assert ask(address(version), None)[0] == 401
    assert ask(address(version), UserFactory())[0] == 404
    assert ask(address(version), make_member(project.team, Preset.VIEW_ONLY))[0] == 403
    Project.objects.update(visibility=Visibility.PUBLIC)
    assert ask(address(version), UserFactory())[0] == 403


def test_a_viewer_of_a_registry_is_led_to_what_is_linked_there(version: Version, project: Project) -> None:
    """ART-5: who sees the registry alone downloads from it, but not with the role that only lets look."""
    organization = project.team.organization
    assert organization is not None
    person = make_member(TeamFactory(organization=organization))
    assert ask(address(version), person)[0] == 404
    registry = create_registry(actor=SYSTEM, organization=organization, name="shared")
    link_version(actor=SYSTEM, version=version, project=registry.project, name="net")
    assert ask(address(version), person)[0] == 302
    changes = RegistryChanges(everyone_role="restricted_viewer")
    update_registry(actor=SYSTEM, registry=registry, changes=changes)
    assert ask(address(version), person)[0] == 403


@pytest.mark.parametrize("digest", ["0" * 32, "no-digest", "%00"])
def test_a_digest_of_nothing_in_the_version_is_not_found(
    version: Version, project: Project, digest: str
) -> None:
    assert ask(address(version, digest), make_member(project.team))[0] == 404


def test_a_file_that_went_on_into_a_newer_version_is_found_by_its_first(
    version: Version, project: Project
) -> None:
    draft = make_draft(project, "net", {"sub/a.txt": CONTENT, "b.txt": b"b"})
    born = [
        replace(entry, birth_id=to_version_id(version.pk)) for entry in entries_for({"sub/a.txt": CONTENT})
    ]
    send_manifest(draft, write_manifest([*born, *entries_for({"b.txt": b"b"})]))
    commit_version(actor=SYSTEM, version=draft)
    delete_version(actor=SYSTEM, version=version, with_aliases=True)
    assert ask(address(version), make_member(project.team))[0] == 302


def test_whoever_says_that_a_file_of_theirs_was_here_first_stands_in_nobody_s_way(
    version: Version, project: Project
) -> None:
    """The version that a file came first with is what a client says: it decides neither for nor against a reader."""
    theirs = ProjectFactory()
    draft = make_draft(theirs, "net", {"a.txt": CONTENT})
    claim = [replace(entry, birth_id=to_version_id(version.pk)) for entry in entries_for({"a.txt": CONTENT})]
    send_manifest(draft, write_manifest(claim))
    commit_version(actor=SYSTEM, version=draft)
    assert ask(address(version), make_member(project.team))[0] == 302
    assert ask(address(version), make_member(project.team, Preset.VIEW_ONLY))[0] == 403
    assert ask(address(version), make_member(theirs.team))[0] == 302, "of bytes that are theirs as well"
