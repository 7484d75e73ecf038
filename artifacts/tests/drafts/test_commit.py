"""The commit of drafts: numbers, equal files, what must be there (ART-1, ART-3, ART-7)."""

import pytest

from access.actor import SYSTEM
from artifacts.contents import contents_named
from artifacts.drafts.commit import commit_version
from artifacts.drafts.uploads import receive_file
from artifacts.manifests.document import ManifestEntry, write_manifest
from artifacts.models import Alias, ClientId, Membership, Version, VersionState
from artifacts.tests.factories import (
    entries_for,
    make_draft,
    make_version,
    md5_of,
    place_of,
    send_file,
    send_manifest,
)
from artifacts.versions.deletion import delete_version
from common.errors import Conflict, Gone, Invalid
from runs.models import Project
from storage.services import store_bytes
from tests.factories import ProjectFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def names(version: Version) -> set[str]:
    return set(Alias.objects.filter(membership=place_of(version)).values_list("name", flat=True))


def unsent(project: Project, digest: str) -> Version:
    """Return a draft for which nothing has come."""
    draft = make_draft(project, files={}, digest=digest)
    draft.manifests.all().delete()
    return draft


def test_the_same_files_make_no_new_version_but_their_aliases_apply(project: Project) -> None:
    first = make_version(project, files={"a": b"1"}, aliases=["one"])
    second = make_version(project, files={"a": b"2"})
    again = make_version(project, files={"a": b"1"}, aliases=["best"])
    assert again.pk == first.pk
    assert names(first) == {"one", "best", "latest"}
    assert names(second) == set()


def test_a_number_is_never_given_twice(project: Project) -> None:
    make_version(project, files={"a": b"1"})
    delete_version(actor=SYSTEM, version=make_version(project, files={"a": b"2"}), with_aliases=True)
    assert place_of(make_version(project, files={"a": b"3"})).index == 2


def test_two_drafts_of_the_same_files_become_one_version(project: Project) -> None:
    one = make_draft(project, client_id="c1", aliases=["x"])
    two = make_draft(project, client_id="c2", aliases=["y"])
    assert one.pk != two.pk
    stays = commit_version(actor=SYSTEM, version=one)
    assert commit_version(actor=SYSTEM, version=two).pk == stays.pk
    assert commit_version(actor=SYSTEM, version=two).pk == stays.pk, "committing again finds the same"
    two.refresh_from_db()
    assert two.state == VersionState.MERGED
    assert names(stays) == {"x", "y", "latest"}
    assert set(ClientId.objects.values_list("client_id", "version")) == {("c1", stays.pk), ("c2", stays.pk)}
    assert Membership.objects.count() == 1


def test_committing_again_changes_nothing(project: Project) -> None:
    version = make_version(project)
    assert commit_version(actor=SYSTEM, version=version).pk == version.pk
    assert Membership.objects.count() == 1


def test_a_commit_needs_its_manifest(project: Project) -> None:
    with pytest.raises(Invalid, match="manifest"):
        commit_version(actor=SYSTEM, version=unsent(project, "d1"))


def test_a_commit_names_the_files_that_have_not_come(project: Project) -> None:
    draft = unsent(project, "d2")
    send_manifest(draft, write_manifest(entries_for({"gone.txt": b"gone"})))
    with pytest.raises(Invalid, match=r"“gone.txt”"):
        commit_version(actor=SYSTEM, version=draft)


def test_a_file_has_the_size_that_the_manifest_says(project: Project) -> None:
    draft = unsent(project, "d3")
    send_file(draft, "a", b"four")
    send_manifest(draft, write_manifest([ManifestEntry("a", md5_of(b"four"), 5)]))
    with pytest.raises(Invalid, match="has 4 bytes, not 5"):
        commit_version(actor=SYSTEM, version=draft)


def test_knowing_the_digest_of_another_projects_file_gives_nothing(project: Project) -> None:
    make_version(ProjectFactory(), files={"secret": b"secret"})
    draft = unsent(project, "d4")
    send_manifest(draft, write_manifest(entries_for({"mine": b"secret"})))
    with pytest.raises(Invalid, match="“mine”"):
        commit_version(actor=SYSTEM, version=draft)
    assert not contents_named(project.pk, [md5_of(b"secret")])


def test_other_bytes_than_announced_are_refused(project: Project) -> None:
    draft = unsent(project, "d5")
    with pytest.raises(Invalid, match=r"not .* as announced"):
        receive_file({"v": draft.pk, "n": "a", "h": md5_of(b"a")}, store_bytes(b"b"))


def test_a_committed_version_takes_no_file(project: Project) -> None:
    with pytest.raises(Conflict):
        send_file(make_version(project), "b", b"b")


def test_a_draft_that_is_gone_takes_no_file(project: Project) -> None:
    draft = unsent(project, "d6")
    ticket = {"v": draft.pk, "n": "a", "h": md5_of(b"a")}
    draft.delete()
    with pytest.raises(Gone):
        receive_file(ticket, store_bytes(b"a"))


def test_a_draft_that_was_given_up_takes_no_file(project: Project) -> None:
    draft = unsent(project, "d7")
    delete_version(actor=SYSTEM, version=draft, with_aliases=False)
    with pytest.raises(Gone):
        send_file(draft, "a", b"a")


def test_a_draft_that_was_given_up_is_not_committed(project: Project) -> None:
    draft = make_draft(project)
    delete_version(actor=SYSTEM, version=draft, with_aliases=False)
    with pytest.raises(Gone):
        commit_version(actor=SYSTEM, version=draft)
