"""ART-6: content in buckets: where it goes, how it is read, what is swept, and what of failures."""

import hashlib
import threading
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from common.backups.elsewhere import data_elsewhere
from common.errors import TooLarge, Unavailable
from common.management.commands import prepare
from storage import filesystem
from storage.backends.base import StorageUnavailable
from storage.buckets import services as buckets
from storage.contents import cache
from storage.contents.reading import StoredContent, content_of
from storage.models import Blob, Bucket
from storage.services import free_unused, store_bytes, storing, sweep, sweep_strays
from tests.factories import RunFactory, add_run_file
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider, FolderBackend

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db


def _later(hours: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(hours=hours), tick=False)


def _large() -> bytes:
    return b"".join(b"%07d\n" % number for number in range(cache.SMALL // 8 + 1000))


class TestPlaces:
    def test_new_content_goes_to_the_folder_of_this_installation_in_the_bucket(self, bucket: FakeProvider):
        blob = store_bytes(b"hello")
        assert blob.bucket is not None
        assert bucket.objects() == {f"files/runyard/{blob.bucket.folder}/objects/{blob.location}": b"hello"}
        assert not list(filesystem.locations(timezone.now().timestamp() + 60))

    def test_old_content_stays_readable_where_it_lies(self, bucket: FakeProvider, settings: Any):
        in_bucket = store_bytes(b"same")
        settings.STORAGE_URL = ""
        in_folder = store_bytes(b"same")
        settings.STORAGE_URL = "s3://other?region=eu-west-1"
        elsewhere = store_bytes(b"same")
        blobs = [in_bucket, in_folder, elsewhere]
        assert [content_of(blob).read_bytes() for blob in blobs] == [b"same"] * 3
        assert len({blob.bucket_id for blob in blobs}) == 3, "once in each place"
        settings.STORAGE_URL = "s3://files/runyard?region=eu-west-1"
        assert store_bytes(b"same") == in_bucket

    def test_credentials_of_the_settings_are_never_stored(self, bucket: FakeProvider, settings: Any):
        settings.STORAGE_KEY, settings.STORAGE_SECRET = "key-of-settings", "secret-of-settings"
        store_bytes(b"x")
        row = Bucket.objects.values().get()
        assert not any("of-settings" in str(value) for value in row.values())
        assert buckets.settings_credentials("s3") == {
            "access_key": "key-of-settings", "secret_key": "secret-of-settings"
        }  # fmt: skip
        assert buckets.settings_credentials("gs") == {}, "they are of another provider"

    def test_what_goes_straight_to_a_bucket_has_no_sha_and_may_be_there_often(self, bucket: FakeProvider):
        home = buckets.default_bucket()
        for number in range(2):
            Blob.objects.create(bucket=home, md5="m", size_bytes=1, location=f"direct/{number}")
        assert Blob.objects.filter(digest="").count() == 2


class TestCheck:
    def test_the_command_says_what_is_wrong_and_keeps_it(
        self, bucket: FakeProvider, settings: Any, monkeypatch: pytest.MonkeyPatch, capsys: Any
    ):
        monkeypatch.setattr(FolderBackend, "can_sign_downloads", False)
        call_command("check_storage")
        assert "s3://files/runyard, which was tried" in capsys.readouterr().out
        assert (Bucket.objects.get().check_error, bucket.objects()) == ("", {})
        bucket.is_down = True
        with pytest.raises(CommandError, match="does not answer"):
            call_command("check_storage")
        assert Bucket.objects.get().check_error == "The bucket does not answer."
        settings.STORAGE_URL = ""
        call_command("check_storage")
        assert "data folder" in capsys.readouterr().out


class TestPreparing:
    """`prepare` tries the bucket; `prepare --create-bucket` creates it, and waits for a server that is starting."""

    @pytest.fixture
    def tries(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
        settings.STORAGE_URL = "s3://files"
        monkeypatch.setattr(prepare, "BUCKET_PAUSE_S", 0)
        seen: list[bool] = []

        def refuse_twice(_name: str, *, create: bool, **_: Any) -> None:
            seen.append(create)
            if len(seen) < 3:
                raise CommandError("The bucket does not answer.")

        monkeypatch.setattr(prepare, "call_command", refuse_twice)
        return seen

    def test_it_waits_for_a_bucket_that_it_must_create(self, tries: list[bool]):
        prepare.Command().try_bucket(create=True)
        assert tries == [True] * 3

    def test_it_gives_up_in_time(self, tries: list[bool], monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(prepare, "BUCKET_WAIT_S", -1)
        with pytest.raises(CommandError, match="does not answer"):
            prepare.Command().try_bucket(create=True)
        assert tries == [True]

    def test_it_goes_on_without_one_that_may_come_back(self, tries: list[bool]):
        said = StringIO()
        prepare.Command(stderr=said).try_bucket(create=False)
        assert (tries, "Files are refused until it can" in said.getvalue()) == ([False], True)


class TestReading:
    def test_a_large_object_is_read_and_sought_in_as_a_file(self, bucket: FakeProvider):
        data = _large()
        content = content_of(store_bytes(data))
        with content.open("rb") as file:
            assert file.read(8) == data[:8]
            assert file.seek(-8, 2) == len(data) - 8
            assert file.read() == data[-8:]
            file.seek(800_000)
            assert file.readline() == data[800_000:800_008]
            file.seek(0)
            assert file.read() == data
        assert b"".join(content.pieces(5, 10)) == data[5:15]

    def test_a_reader_that_needs_a_file_gets_a_copy_once(self, bucket: FakeProvider):
        data = _large()
        content = content_of(store_bytes(data))
        assert content.local_copy().read_bytes() == data
        assert content.local_copy() == content.local_copy()
        assert [method for method, _key in bucket.asked].count("read") == 1

    def test_many_at_once_fetch_a_copy_once(self, bucket: FakeProvider):
        content = content_of(store_bytes(_large()))
        buckets.backend_of(content.bucket_id or 0)  # opened, so that threads need no database
        found: list[Path] = []
        threads = [threading.Thread(target=lambda: found.append(content.local_copy())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {path.read_bytes() for path in found} == {_large()}
        assert [method for method, _key in bucket.asked].count("read") == 1

    def test_the_cache_keeps_to_its_bytes(self, bucket: FakeProvider, settings: Any):
        settings.STORAGE_CACHE_BYTES = 2_500_000
        contents = [content_of(store_bytes(_large() + b"%d" % number)) for number in range(3)]
        first, second, third = contents
        first.local_copy()
        second.local_copy()
        with pytest.raises(Unavailable, match="Too many"):
            third.local_copy()  # the others may be being read
        with time_machine.travel(timezone.now() + timedelta(minutes=2)):
            second.local_copy()
            third.local_copy()
        kept = list(Path(settings.STORAGE_CACHE_FOLDER).iterdir())
        assert len(kept) == 2
        assert sum(path.stat().st_size for path in kept) <= settings.STORAGE_CACHE_BYTES
        settings.STORAGE_CACHE_BYTES = 1_000_000
        with pytest.raises(TooLarge, match="RUNYARD_STORAGE_CACHE_MIB"):
            first.local_copy()
        assert first.read_bytes().endswith(b"0"), "it is read all the same"

    @pytest.mark.parametrize("damage", [b"", b"short", b"x" * 1_056_576])
    def test_a_bucket_that_lies_is_found_out(self, bucket: FakeProvider, damage: bytes):
        content = content_of(store_bytes(_large()))
        bucket.damage = damage
        with pytest.raises(StorageUnavailable, match="other bytes"):
            content.local_copy()
        bucket.damage = None
        assert content.local_copy().read_bytes() == _large()

    def test_what_is_gone_is_no_file(self, bucket: FakeProvider):
        store_bytes(b"any")
        content = StoredContent("no/such/object", cache.SMALL * 2, Bucket.objects.get().pk, md5="x")
        for read in (content.open, content.pieces, content.local_copy, content.read_bytes):
            with pytest.raises(FileNotFoundError):
                read()


def test_a_backup_says_what_it_leaves_to_buckets(bucket: FakeProvider):
    store_bytes(b"12345")
    assert data_elsewhere() == [{"where": "s3://files/runyard", "files": 1, "bytes": 5}]


class TestSweeps:
    def test_what_nobody_uses_goes_from_the_bucket_too(self, bucket: FakeProvider):
        store_bytes(b"old")
        with _later(25):
            assert sweep() == 1
        assert bucket.objects() == {}

    def test_strays_go_and_what_is_named_or_of_others_stays(self, bucket: FakeProvider):
        kept = add_run_file(RunFactory(), "notes.txt", b"kept").blob
        stray = store_bytes(b"stray")
        Blob.objects.filter(pk=stray.pk).delete()
        neighbor = bucket.root / "files/runyard/of-another-installation/ab/cd/abcd"
        neighbor.parent.mkdir(parents=True)
        neighbor.write_bytes(b"theirs")
        assert sweep_strays() == 0, "an upload may be under way"
        with _later(25):
            assert sweep_strays() == 1
        assert sorted(bucket.objects().values()) == [b"kept", b"theirs"]
        assert content_of(kept).read_bytes() == b"kept"

    def test_a_bucket_that_is_down_loses_nothing_and_is_swept_later(self, bucket: FakeProvider):
        blob = store_bytes(b"unused")
        bucket.is_down = True
        assert free_unused(Blob.objects.filter(pk=blob.pk)) == 1, "its row goes first"
        assert sweep_strays() == 0
        bucket.is_down = False
        assert list(bucket.objects().values()) == [b"unused"]
        with _later(25):
            assert sweep_strays() == 1
        assert bucket.objects() == {}


class TestFailures:
    def test_a_bucket_that_takes_nothing_leaves_nothing(self, bucket: FakeProvider):
        bucket.is_down = True
        with pytest.raises(StorageUnavailable, match="does not answer"):
            store_bytes(b"lost")
        assert not Blob.objects.exists()

    def test_content_goes_again_with_the_transaction_that_names_it(self, bucket: FakeProvider):
        with (
            filesystem.Incoming() as incoming,
            pytest.raises(RuntimeError),
            storing(incoming.finish(b"undone")),
        ):
            raise RuntimeError
        assert (bucket.objects(), Blob.objects.count()) == ({}, 0)

    @pytest.mark.django_db(transaction=True)
    def test_the_bucket_is_written_before_the_transaction_begins(
        self, bucket: FakeProvider, monkeypatch: pytest.MonkeyPatch
    ):
        backend = buckets.backend_of(buckets.default_bucket().pk)  # type: ignore[union-attr] # there is one
        put, in_transaction = backend.put, []

        def watch(*given: Any, **more: Any) -> None:
            in_transaction.append(transaction.get_connection().in_atomic_block)
            put(*given, **more)

        monkeypatch.setattr(backend, "put", watch)
        blob = store_bytes(b"slow")
        assert in_transaction == [False]
        assert blob.digest == hashlib.sha256(b"slow").hexdigest()
