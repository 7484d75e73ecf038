"""Where the files of drafts go: an address for each that the project does not hold (ART-2, ART-3)."""

import pytest

from access.actor import SYSTEM
from artifacts.contents import contents_named
from artifacts.drafts import uploads
from artifacts.drafts.uploads import FileSpec, addresses_for
from artifacts.models import Pin
from artifacts.tests.drafts.test_uploads import address, begin
from artifacts.tests.factories import hold_bytes, make_version, md5_of
from artifacts.versions.deletion import delete_version
from common.errors import Conflict, Gone, Invalid, NotFound
from runs.models import Project
from storage import parts
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def test_no_address_means_that_this_project_holds_the_bytes(project: Project) -> None:
    """ART-3: knowing the digest of what another project holds spares nobody the upload."""
    hold_bytes(project, b"ours")
    make_version(ProjectFactory(team=project.team), files={"secret": b"theirs"})
    draft = begin(project, {"a": b"ours", "b": b"theirs", "c": b"new"})
    assert [bool(address(draft, path, path_bytes)) for path, path_bytes in (
        ("a", b"ours"), ("b", b"theirs"), ("c", b"new"),
    )] == [False, True, True]  # fmt: skip
    assert Pin.objects.filter(version=draft, content__md5=md5_of(b"ours")).exists()
    assert not contents_named(project.pk, [md5_of(b"theirs")])


def test_what_is_held_for_one_draft_is_pinned_for_each_that_names_it(project: Project) -> None:
    hold_bytes(project, b"ours")
    one, two = (begin(project, {name: b"ours"}) for name in "ab")
    specs = [FileSpec(draft.pk, "x", md5_of(b"ours")) for draft in (one, two)]
    assert [found.put_url for found in addresses_for(actor=SYSTEM, files=specs)] == ["", ""]
    assert set(Pin.objects.filter(content__md5=md5_of(b"ours")).values_list("version", flat=True)) == {
        one.pk, two.pk,
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["", "../a", "a/../../b", "/etc/passwd", "..\\a", "\\\\host\\share", "C:\\a", "c:/a", "..", "x" * 1025],
)
def test_a_name_that_leaves_its_folder_gets_no_address(project: Project, name: str) -> None:
    draft = begin(project, {"a": b"a"})
    with pytest.raises(Invalid, match="file name"):
        address(draft, name, b"a")


@pytest.mark.parametrize("md5", ["", "x", "é" * 24, "A" * 24, "AAAAAAAAAAAAAAAAAAAAAA==\n", "00" * 16])
def test_what_is_no_digest_gets_no_address(project: Project, md5: str) -> None:
    draft = begin(project, {"a": b"a"})
    with pytest.raises(Invalid, match="not an MD5 digest"):
        addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, "a", md5)])


def test_files_and_parts_of_one_request_are_limited(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = begin(project, {"a": b"a"})
    monkeypatch.setattr(uploads, "MAX_FILES", 1)
    with pytest.raises(Invalid, match="At most 1 files"):
        addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, name, md5_of(b"a")) for name in "ab"])
    many = [(number, "00" * 16) for number in range(1, parts.MAX_PARTS + 2)]
    with pytest.raises(Invalid, match="at most 10000 parts; this one has 10001"):
        addresses_for(actor=SYSTEM, files=[FileSpec(draft.pk, "a", md5_of(b"a"), many)])


def test_who_sees_no_draft_learns_nothing_of_it(project: Project) -> None:
    draft = begin(project, {"a": b"a"})
    stranger = actor(make_member(ProjectFactory().team))
    said = []
    for pk in (draft.pk, draft.pk + 1000):
        with pytest.raises(NotFound) as refusal:
            addresses_for(actor=stranger, files=[FileSpec(pk, "a", md5_of(b"a"))])
        said.append(refusal.value.status)
    assert said == [404, 404]


def test_drafts_that_are_over_get_no_address(project: Project) -> None:
    gone = begin(project, {"a": b"a"})
    delete_version(actor=SYSTEM, version=gone, with_aliases=False)
    with pytest.raises(Gone):
        address(gone, "a", b"a")
    with pytest.raises(Conflict, match="committed"):
        address(make_version(project), "b", b"b")


def test_a_number_beyond_the_last_is_refused(project: Project) -> None:
    draft = begin(project, {"a": b"a"})
    spec = FileSpec(draft.pk, "big", md5_of(b"a"), [(parts.MAX_PARTS + 1, "00" * 16)])
    with pytest.raises(Invalid, match="between 1 and 10000"):
        addresses_for(actor=SYSTEM, files=[spec])
