"""ART-7, ART-6: uploads to a bucket and downloads from it, asked as the server asks them."""

import hashlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from asgiref.sync import async_to_sync
from django.db import connections

from config.asgi import application
from runs.models import RunFile
from storage.models import Blob, Bucket, ByteEntry
from storage.services import store_bytes
from storage.signed_urls import tickets
from storage.signed_urls.uploads import store_uploads
from tests.factories import RunFactory
from tests.fakes.bucket_fixtures import bucket
from tests.fakes.folder_bucket import FakeProvider

__all__ = ["bucket"]
pytestmark = pytest.mark.django_db(transaction=True)

_DIGITS = b"0123456789" * 500


@pytest.fixture(autouse=True)
def _connections() -> Iterator[None]:
    yield
    connections.close_all()


@async_to_sync
async def _ask(method: str, *paths: str, content: Any = b"", **headers: str) -> list[httpx.Response]:
    transport = httpx.ASGITransport(application)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return [await client.request(method, path, content=content, headers=named) for path in paths]


def _get_path(content: bytes = _DIGITS, kind: str = "text/plain", name: str = "n.txt", **more: bool) -> str:
    return tickets.get_path(store_bytes(content), name=name, content_type=kind, **more)


class TestPut:
    def test_the_file_is_in_the_bucket_before_it_is_acknowledged(self, bucket: FakeProvider):
        run = RunFactory()
        path = tickets.put_path("run-file", r=run.pk, n="out/notes.txt")
        (answer,) = _ask("PUT", path, content=b"hello")
        file = RunFile.objects.select_related("blob").get(name="out/notes.txt")
        assert (answer.status_code, list(bucket.objects().values())) == (200, [b"hello"])
        assert answer.headers["ETag"] == f'"{hashlib.sha256(b"hello").hexdigest()}"'
        assert file.blob.bucket == Bucket.objects.get()
        assert [entry.delta_bytes for entry in ByteEntry.objects.all()] == [5], (
            "the ledger counts it as any other"
        )

    def test_the_same_content_is_kept_once(self, bucket: FakeProvider):
        run = RunFactory()
        paths = [tickets.put_path("run-file", r=run.pk, n=name) for name in ("a", "b")]
        assert [answer.status_code for answer in _ask("PUT", *paths, content=b"same")] == [200, 200]
        assert list(bucket.objects().values()) == [b"same"]
        assert Blob.objects.count() == 1

    def test_a_bucket_that_is_down_is_503_and_nothing_is_kept(self, bucket: FakeProvider):
        """ART-6: SDKs send a file again after a 503."""
        path = tickets.put_path("run-file", r=RunFactory().pk, n="notes.txt")
        bucket.is_down = True
        (answer,) = _ask("PUT", path, content=b"hello")
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, "The bucket does not answer.")
        assert (RunFile.objects.count(), Blob.objects.count(), ByteEntry.objects.count()) == (0, 0, 0)
        bucket.is_down = False
        (answer,) = _ask("PUT", path, content=b"hello")
        assert (answer.status_code, list(bucket.objects().values())) == (200, [b"hello"])

    def test_what_its_owner_refuses_leaves_the_bucket_again(self, bucket: FakeProvider):
        run = RunFactory()
        path = tickets.put_path("run-file", r=run.pk, n="notes.txt")
        run.delete()
        (answer,) = _ask("PUT", path, content=b"late")
        assert (answer.status_code, bucket.objects(), Blob.objects.count()) == (410, {}, 0)

    def test_files_of_one_group_are_entered_together(self, bucket: FakeProvider, tmp_path: Any):
        from storage import filesystem
        from storage.contents import writing
        from storage.signed_urls.uploads import Upload

        run, uploads = RunFactory(), []
        for name, content in (("a", b"same"), ("b", b"same"), ("c", b"other")):
            with filesystem.Incoming() as incoming:
                received = incoming.finish(content)
                placed = writing.place(received)
            uploads.append(Upload({"for": "run-file", "r": run.pk, "n": name}, received, placed))
        answers = store_uploads(uploads)
        assert answers == [hashlib.sha256(content).hexdigest() for content in (b"same", b"same", b"other")]
        for upload in uploads:
            assert upload.placed is not None
            writing.drop_unless_named((upload.placed.bucket_id, upload.placed.location))
        assert sorted(bucket.objects().values()) == [b"other", b"same"]


class TestGet:
    def test_pages_get_it_from_us_whole_and_in_parts(self, bucket: FakeProvider):
        path = _get_path()
        (whole,) = _ask("GET", path)
        assert (whole.status_code, whole.content) == (200, _DIGITS)
        assert whole.headers["Content-Length"] == "5000"
        assert whole.headers["X-Content-Type-Options"] == "nosniff"
        assert "sandbox" in whole.headers["Content-Security-Policy"]
        for asked, status, content, said in (
            ("bytes=3-6", 206, b"3456", "bytes 3-6/5000"),
            ("bytes=4990-", 206, b"0123456789", "bytes 4990-4999/5000"),
            ("bytes=-4", 206, b"6789", "bytes 4996-4999/5000"),
            ("bytes=4998-9999", 206, b"89", "bytes 4998-4999/5000"),
            ("bytes=5000-", 416, b"", "bytes */5000"),
            ("bytes=1-2,5-6", 200, _DIGITS, None),
            ("pages=1-2", 200, _DIGITS, None),
        ):
            (part,) = _ask("GET", path, range=asked)
            assert (part.status_code, part.content, part.headers.get("Content-Range")) == (
                status,
                content,
                said,
            )
        (again,) = _ask("GET", path, if_none_match=whole.headers["ETag"])
        assert again.status_code == 304
        (changed,) = _ask("GET", path, range="bytes=3-6", if_range='"other"')
        assert changed.status_code == 200
        (head,) = _ask("HEAD", path)
        assert (head.status_code, head.headers["Content-Length"]) == (200, "5000")

    def test_downloads_are_led_to_the_bucket(self, bucket: FakeProvider):
        (answer,) = _ask("GET", _get_path(name="models/n.bin", kind="image/png", download=True))
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("https://bucket.example/")
        assert answer.headers["Location"].endswith("?name=n.bin&type=image/png&inline=False&s=300")
        assert answer.headers["Cache-Control"] == "no-store"
        (head,) = _ask("HEAD", _get_path(download=True))
        assert (head.status_code, head.headers["Content-Length"]) == (200, "5000"), "what is signed is a GET"

    def test_what_a_bucket_cannot_sign_goes_through_us(
        self, bucket: FakeProvider, monkeypatch: pytest.MonkeyPatch
    ):
        from tests.fakes.folder_bucket import FolderBackend

        monkeypatch.setattr(FolderBackend, "can_sign_downloads", False)
        (answer,) = _ask("GET", _get_path(download=True))
        assert (answer.status_code, answer.content) == (200, _DIGITS)
        assert answer.headers["Content-Disposition"].startswith("attachment")

    def test_texts_with_secrets_come_masked_and_others_straight(self, bucket: FakeProvider):
        secret = b"token: sk-ant-" + b"a1B2" * 24
        masked, binary = (
            _get_path(content, name=name, kind="application/octet-stream", download=True, is_masked=True)
            for content, name in ((secret, "a.yaml"), (b"\x00binary", "b.bin"))
        )
        (text,) = _ask("GET", masked)
        assert text.status_code == 200
        assert b"a1B2a1B2" not in text.content
        (other,) = _ask("GET", binary)
        assert other.status_code == 302

    def test_what_is_gone_is_404_and_a_bucket_that_is_down_503(self, bucket: FakeProvider):
        path = _get_path()
        bucket.is_down = True
        (answer,) = _ask("GET", path)
        assert (answer.status_code, answer.json()["error"]["message"]) == (503, "The bucket does not answer.")
        bucket.is_down = False
        for file in bucket.root.rglob("*-*"):
            file.unlink() if file.is_file() else None
        (answer,) = _ask("GET", path)
        assert answer.status_code == 404
