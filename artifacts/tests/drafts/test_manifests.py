"""What drafts consist of: whole manifests, changes of a base, what several writers add, files of elsewhere."""

from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from access.actions import Preset
from access.actor import SYSTEM, Actor
from artifacts.contents import contents_named
from artifacts.drafts import manifests
from artifacts.drafts.commit import commit_version
from artifacts.drafts.manifests import announce_manifest, entries_in, receive_manifest
from artifacts.manifests.document import ManifestEntry, digest_of, write_manifest
from artifacts.manifests.ids import to_version_id
from artifacts.models import Content, Entry, Manifest, ManifestKind, Version
from artifacts.retention import purge
from artifacts.tests.factories import (
    entries_for,
    hold_bytes,
    make_draft,
    make_version,
    md5_of,
    place_of,
    send_file,
    send_manifest,
)
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from common.errors import Conflict, Forbidden, Gone, Invalid, NotFound
from runs.models import Project
from storage.buckets import services as buckets
from storage.services import store_bytes, stored_bytes
from teams.members.services import add_member
from teams.models import Visibility
from teams.roles.builtin import built_in
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


def begin(project: Project, name: str = "model", **more: Any) -> Version:
    """Return a draft for which nothing has come."""
    draft = make_draft(project, name, {}, digest=md5_of(name.encode()), **more)
    Manifest.objects.filter(version=draft).delete()
    return draft


def files_of(version: Version) -> dict[str, str]:
    return {path: entry.digest for path, entry in entries_in(version).items()}


def digests(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: md5_of(content) for path, content in files.items()}


def change(
    draft: Version, files: Mapping[str, bytes], base: Version | None, kind: ManifestKind, by: Actor = SYSTEM
) -> Manifest:
    """Send files, and a manifest that says of them."""
    for path, content in files.items():
        send_file(draft, path, content)
    return send_manifest(draft, write_manifest(entries_for(files)), kind=kind, base=base, by=by)


class TestIncremental:
    """ART-2: what changes against a base."""

    def test_files_of_the_base_stay_unless_they_are_named_anew(self, project: Project) -> None:
        base = make_version(project, files={"a": b"1", "b": b"2"}, references={"far": "s3://bucket/far"})
        draft = begin(project, base=base)
        change(draft, {"b": b"two", "c": b"3"}, base, ManifestKind.INCREMENTAL)
        version = commit_version(actor=SYSTEM, version=draft)
        assert files_of(version) == digests({"a": b"1", "b": b"two", "c": b"3"}) | {
            "far": "etag of s3://bucket/far"
        }
        assert version.digest == digest_of(entries_in(version).values())
        assert (version.size_bytes, version.file_count, version.reference_count) == (5, 3, 1)
        born = dict(Entry.objects.filter(version=version).values_list("path", "birth_version_id"))
        assert born == {"a": base.pk, "b": version.pk, "c": version.pk, "far": None}

    def test_without_a_base_it_is_all_that_there_is(self, project: Project) -> None:
        draft = begin(project)
        change(draft, {"a": b"1"}, None, ManifestKind.INCREMENTAL)
        assert files_of(commit_version(actor=SYSTEM, version=draft)) == digests({"a": b"1"})

    def test_no_change_is_the_base_itself(self, project: Project) -> None:
        base = make_version(project, files={"a": b"1"})
        draft = begin(project, base=base)
        change(draft, {"a": b"1"}, base, ManifestKind.INCREMENTAL)
        assert commit_version(actor=SYSTEM, version=draft).pk == base.pk

    def test_it_outlives_its_deleted_base_but_not_its_purged_one(self, project: Project) -> None:
        base = make_version(project, files={"a": b"1"})
        one, two = (begin(project, name, base=base) for name in ("one", "two"))
        for draft in (one, two):
            change(draft, {"b": b"2"}, base, ManifestKind.INCREMENTAL)
        delete_version(actor=SYSTEM, version=base, with_aliases=True)
        assert files_of(commit_version(actor=SYSTEM, version=one)) == digests({"a": b"1", "b": b"2"})
        purge.begin_purge(base.pk, is_given_up=True)
        with pytest.raises(Gone, match="removed"):
            commit_version(actor=SYSTEM, version=two)

    @pytest.mark.parametrize(("role", "error"), [(None, NotFound), (Preset.VIEW_ONLY, Forbidden)])
    def test_the_base_must_be_one_that_the_actor_may_download(
        self, project: Project, role: Preset | None, error: type[Exception]
    ) -> None:
        base = make_version(ProjectFactory(), files={"secret": b"1"})
        member = make_member(project.team)
        if role is not None:
            Project.objects.filter(pk=base.project.pk).update(visibility=Visibility.PUBLIC)
        draft = begin(project, by=actor(member))
        with pytest.raises(error):
            change(draft, {}, base, ManifestKind.INCREMENTAL, by=actor(member))
        assert not Manifest.objects.filter(version=draft).exists()


class TestDistributed:
    """ART-2: several writers of one version, each with a manifest of its own."""

    def test_three_writers_of_which_one_repeats_make_each_entry_once(self, project: Project) -> None:
        drafts = [begin(project, distributed_id="d1") for _ in range(3)]
        assert len({draft.pk for draft in drafts}) == 1
        for number, draft in enumerate([*drafts, drafts[1]]):
            name = str(number % 3)
            change(draft, {name: name.encode(), "shared": b"shared"}, None, ManifestKind.PATCH)
        version = commit_version(actor=SYSTEM, version=drafts[2])
        assert files_of(version) == digests({"0": b"0", "1": b"1", "2": b"2", "shared": b"shared"})
        assert version.digest == digest_of(entries_in(version).values())

    def test_what_was_announced_and_never_came_keeps_nobody_waiting(self, project: Project) -> None:
        draft = begin(project, distributed_id="d1")
        announce_manifest(
            actor=SYSTEM, version=draft, kind=ManifestKind.PATCH, name="m", digest="", base=None
        )
        change(draft, {"a": b"1"}, None, ManifestKind.PATCH)
        assert files_of(commit_version(actor=SYSTEM, version=draft)) == digests({"a": b"1"})

    def test_the_later_of_two_writers_of_one_path_wins(self, project: Project) -> None:
        draft = begin(project, distributed_id="d1")
        for content in (b"first", b"later"):
            change(draft, {"a": content}, None, ManifestKind.PATCH)
        assert files_of(commit_version(actor=SYSTEM, version=draft)) == digests({"a": b"later"})

    def test_a_file_of_one_writer_in_a_folder_of_another_is_refused(self, project: Project) -> None:
        draft = begin(project, distributed_id="d1")
        change(draft, {"a": b"1"}, None, ManifestKind.PATCH)
        change(draft, {"a/b": b"2"}, None, ManifestKind.PATCH)
        with pytest.raises(Invalid, match="“a” is a file"):
            commit_version(actor=SYSTEM, version=draft)

    def test_writers_are_limited(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(manifests, "MAX_MANIFESTS", 2)
        draft = begin(project)
        for name in "ab":
            change(draft, {name: b"1"}, None, ManifestKind.PATCH)
        with pytest.raises(Invalid, match="at most 2 manifests"):
            change(draft, {}, None, ManifestKind.PATCH)


def test_a_whole_manifest_that_is_announced_again_stays_one(project: Project) -> None:
    draft = begin(project)
    one = change(draft, {"a": b"1"}, None, ManifestKind.FULL)
    assert change(draft, {"b": b"2"}, None, ManifestKind.FULL).pk == one.pk
    assert files_of(commit_version(actor=SYSTEM, version=draft)) == digests({"b": b"2"})


def test_a_committed_version_keeps_its_manifest(project: Project) -> None:
    version = make_version(project)
    with pytest.raises(Conflict):
        send_manifest(version, write_manifest([]))


def test_a_manifest_that_comes_after_the_commit_is_refused(project: Project) -> None:
    draft = begin(project)
    late = change(draft, {"a": b"1"}, None, ManifestKind.FULL)
    commit_version(actor=SYSTEM, version=draft)
    with pytest.raises(Gone):
        receive_manifest({"m": late.pk}, store_bytes(b"{}"))


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"digest": md5_of(b"other"), "size": 4}, "“a”"),
        ({"digest": md5_of(b"four"), "size": 5}, "has 4 bytes, not 5"),
        ({"digest": md5_of(b"four"), "size": 4, "birthArtifactID": "nonsense"}, ""),
        ({"digest": md5_of(b"four"), "size": 4, "birthArtifactID": to_version_id(10**30)}, ""),
    ],
)
def test_digests_and_sizes_are_checked_and_births_are_not_believed(
    project: Project, entry: dict[str, Any], said: str
) -> None:
    """ART-7: the bytes that came decide; who had them first is a name only."""
    draft = begin(project)
    send_file(draft, "a", b"four")
    send_manifest(draft, orjson.dumps({"contents": {"a": entry}}))
    if said:
        with pytest.raises(Invalid, match=said):
            commit_version(actor=SYSTEM, version=draft)
        draft.refresh_from_db()
        assert draft.is_draft
        assert not Entry.objects.exists()
    else:
        assert files_of(commit_version(actor=SYSTEM, version=draft)) == digests({"a": b"four"})


class TestAdoption:
    """ART-3: a draft of a version elsewhere names its files without sending them."""

    @pytest.fixture
    def source(self) -> Version:
        return make_version(ProjectFactory(), files={"a": b"elsewhere"})

    @pytest.fixture
    def adopt(self, project: Project) -> Callable[..., Version]:
        def adopt(by: Actor, birth_id: str, content: bytes = b"elsewhere") -> Version:
            draft = begin(project, by=by)
            named = ManifestEntry("taken", md5_of(content), len(content), birth_id=birth_id)
            send_manifest(draft, write_manifest([named]), by=by)
            return commit_version(actor=by, version=draft)

        return adopt

    def test_who_may_download_a_version_may_log_its_files_elsewhere(
        self, project: Project, source: Version, adopt: Callable[..., Version]
    ) -> None:
        user = make_member(project.team)
        make_member_of(source, user)
        version = adopt(actor(user), to_version_id(source.pk))
        assert files_of(version) == {"taken": md5_of(b"elsewhere")}
        assert Content.objects.filter(md5=md5_of(b"elsewhere")).count() == 2, "each project holds its own"
        assert version.manifest is not None
        size = len(b"elsewhere") + version.manifest.size_bytes
        sent = Content.objects.filter(project=project, live_count=0).values_list("size_bytes", flat=True)
        assert stored_bytes(project_id=project.pk) == size + sum(sent)

    def test_all_others_are_told_what_they_are_told_of_bytes_that_nobody_has(
        self, project: Project, source: Version, adopt: Callable[..., Version]
    ) -> None:
        """Neither a stranger nor who may only see the version learns that it has a file with this digest."""
        public = make_version(ProjectFactory(visibility=Visibility.PUBLIC), files={"a": b"public"})
        other = make_version(ProjectFactory(team=project.team), files={"a": b"another"})
        deleted = make_version(ProjectFactory(team=project.team), files={"a": b"deleted"})
        delete_version(actor=SYSTEM, version=deleted, with_aliases=True)
        member = actor(make_member(project.team))
        said = set()
        for birth_id, content in (
            (to_version_id(source.pk), b"elsewhere"),
            (to_version_id(public.pk), b"public"),
            (to_version_id(other.pk), b"elsewhere"),
            (to_version_id(deleted.pk), b"deleted"),
            (to_version_id(source.pk + 1000), b"elsewhere"),
            (to_version_id(10**30), b"elsewhere"),
            ("", b"elsewhere"),
            (to_version_id(other.pk), b"nobody has it"),
        ):
            with pytest.raises(Invalid) as refusal:
                adopt(member, birth_id, content)
            said.add(refusal.value.message)
        assert said == {"These files of the manifest have not been uploaded: “taken”."}
        assert not contents_named(project.pk, [md5_of(b"elsewhere"), md5_of(b"public"), md5_of(b"deleted")])

    def test_a_version_that_took_a_file_over_serves_for_the_first_that_is_deleted(
        self, project: Project, source: Version, adopt: Callable[..., Version]
    ) -> None:
        user = make_member(project.team)
        make_member_of(source, user)
        heir = make_draft(source.project, "heir", {}, digest="heir")
        named = ManifestEntry("a", md5_of(b"elsewhere"), 9, birth_id=to_version_id(source.pk))
        send_manifest(heir, write_manifest([named, *entries_for({"b": b"b"})]))
        send_file(heir, "b", b"b")
        commit_version(actor=SYSTEM, version=heir)
        delete_version(actor=SYSTEM, version=source, with_aliases=True)
        assert files_of(adopt(actor(user), to_version_id(source.pk))) == {"taken": md5_of(b"elsewhere")}

    def test_a_link_that_may_be_downloaded_serves_as_well(
        self, project: Project, source: Version, adopt: Callable[..., Version]
    ) -> None:
        link_version(actor=SYSTEM, version=source, project=ProjectFactory(team=project.team), name="shared")
        version = adopt(actor(make_member(project.team)), to_version_id(source.pk))
        assert files_of(version) == {"taken": md5_of(b"elsewhere")}


def make_member_of(version: Version, user: Any) -> None:
    add_member(actor=SYSTEM, team=version.project.team, user=user, role=built_in(Preset.MEMBER))


class TestReferences:
    """ART-2: they are kept as they are given, whatever they point at, and count no bytes."""

    @pytest.mark.parametrize("size", [None, 0, 10**12])
    def test_they_count_no_bytes(self, project: Project, size: int | None) -> None:
        draft = begin(project)
        send_manifest(
            draft, write_manifest([ManifestEntry("far", "etag", size, reference="s3://bucket/far")])
        )
        version = commit_version(actor=SYSTEM, version=draft)
        assert (version.size_bytes, version.file_count, version.reference_count) == (0, 0, 1)
        assert Entry.objects.get(version=version).size_bytes == size
        held = Content.objects.filter(project=project).values_list("size_bytes", flat=True)
        assert stored_bytes(project_id=project.pk) == sum(held) < 1000

    def test_the_digest_of_a_reference_gives_no_bytes(self, project: Project) -> None:
        hold_bytes(project, b"held")
        draft = begin(project)
        named = ManifestEntry("far", md5_of(b"held"), 4, reference="s3://bucket/far")
        send_manifest(draft, write_manifest([named]))
        assert Entry.objects.get(version=commit_version(actor=SYSTEM, version=draft)).content is None

    def test_dead_and_cyclic_references_are_only_addresses(self, project: Project) -> None:
        other = make_version(project, "other", references={"a": "wandb-artifact://00/gone"})
        draft = begin(project)
        itself, theirs = (
            f"wandb-artifact://{b64decode(to_version_id(pk)).hex()}/a" for pk in (draft.pk, other.pk)
        )
        addresses = {
            "self": itself,
            "a": theirs,
            "dead": "wandb-artifact://beef/x",
            "odd": "wandb-artifact://",
        }
        send_manifest(draft, write_manifest(entries_for({}, addresses)))
        version = commit_version(actor=SYSTEM, version=draft)
        assert dict(Entry.objects.filter(version=version).values_list("path", "reference")) == addresses
        delete_version(actor=SYSTEM, version=other, with_aliases=True)
        purge.begin_purge(other.pk, is_given_up=True)
        assert purge.purge_versions(60) == 1
        assert Entry.objects.filter(version=version).count() == 4


def large_draft(project: Project, name: str, count: int) -> Version:
    """Return a draft of so many files of one content, and as many references."""
    draft = begin(project, name)
    send_file(draft, "x", b"x")
    entries = [ManifestEntry(f"files/{n}", md5_of(b"x"), 1) for n in range(count)]
    entries += [ManifestEntry(f"far/{n}", "etag", 1, reference=f"s3://b/{n}") for n in range(count)]
    send_manifest(draft, write_manifest(entries))
    return draft


def test_a_large_commit_takes_as_many_statements_as_a_small_one(project: Project) -> None:
    """Digests are looked up by 10,000; these are one. Entries go by one statement with many rows."""
    taken = []
    for name, count in (("small", 50), ("large", 50_000)):
        draft = large_draft(project, name, count)
        buckets.forget()  # which is asked of a team once in some seconds
        with CaptureQueriesContext(connection) as statements:
            version = commit_version(actor=SYSTEM, version=draft)
        assert (version.file_count, version.reference_count) == (count, count)
        taken.append(len(statements))
    assert taken[0] == taken[1]


def test_distinct_digests_take_two_statements_more_for_each_10_000(project: Project) -> None:
    taken, blob = [], store_bytes(b"x")
    for name, count in (("small", 100), ("large", 20_100)):
        draft = begin(project, name)
        contents = [
            Content(project=project, blob=blob, md5=f"{name}{n:018d}=="[:24], size_bytes=1)
            for n in range(count)
        ]
        Content.objects.bulk_create(contents, batch_size=5000)
        named = [ManifestEntry(f"{n}", content.md5, 1) for n, content in enumerate(contents)]
        send_manifest(draft, write_manifest(named))
        buckets.forget()  # which is asked of a team once in some seconds
        with CaptureQueriesContext(connection) as statements:
            version = commit_version(actor=SYSTEM, version=draft)
        assert version.file_count == count
        assert place_of(version).index == 0
        taken.append(len(statements))
    assert taken[1] - taken[0] == 2 * 2, "before the transaction, and again in it"
