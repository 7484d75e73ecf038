"""The lean endpoints, asked as the server asks them: PUT and GET by ticket."""

import asyncio
import base64
import hashlib
import resource
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import time_machine
from asgiref.sync import async_to_sync
from django.db import connections
from django.utils import timezone

from access.actor import SYSTEM
from common.errors import TooLarge
from config.asgi import application
from runs.bulk_actions import deletion
from runs.lifecycle.timeline import timeline_of
from runs.models import RefusedFile, Run, RunFile
from storage import filesystem, quota
from storage.models import Blob, ByteEntry
from storage.services import store_bytes, stored_bytes
from storage.signed_urls import tickets
from teams.plan_policy import plan_policy
from tests.factories import ProjectFactory, RunFactory, make_member

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path: Path) -> Iterator[None]:
    settings.BLOB_ROOT = tmp_path
    yield
    connections.close_all()


@pytest.fixture
def put_path() -> str:
    return tickets.put_path("run-file", r=RunFactory().pk, n="out/notes.txt")


@async_to_sync
async def _ask(method: str, path: str, content: Any = b"", **headers: str) -> httpx.Response:
    transport = httpx.ASGITransport(application)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return await client.request(method, path, content=content, headers=named)


def _files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def _get_path(
    content: bytes = b"0123456789", name: str = "notes.txt", kind: str = "text/plain", **more: bool
) -> str:
    return tickets.get_path(store_bytes(content), name=name, content_type=kind, **more)


class TestPut:
    def test_keeps_the_content_and_names_it(self, put_path: str):
        answer = _ask("PUT", put_path, b"hello")
        assert (answer.status_code, answer.json()) == (200, {})
        file = RunFile.objects.select_related("blob").get(name="out/notes.txt")
        assert filesystem.path_of(file.blob.location).read_bytes() == b"hello"
        assert file.blob.digest == hashlib.sha256(b"hello").hexdigest()
        assert answer.headers["ETag"] == f'"{file.blob.digest}"'

    def test_a_file_without_room_is_named_on_the_run_and_mailed_once(self, monkeypatch, client, mailoutbox):
        """BIL-3: SDKs tell nobody; the run's Files page and timeline do, until the file is stored."""
        project = ProjectFactory()
        run = RunFactory(project=project, user=make_member(project.team))
        names = ("model.pt", "other.pt", "model.pt")

        def full(_team_id: int) -> None:
            raise TooLarge("acme stores 11 GB of 10 GB. Ask ada.")

        with monkeypatch.context() as patched:
            patched.setattr(plan_policy(), "require_storage", full)
            quota.forget()
            paths = [tickets.put_path("run-file", r=run.pk, n=name, t=run.project.team_id) for name in names]
            assert [_ask("PUT", path, b"weights").status_code for path in paths] == [413] * 3
        assert sorted(RefusedFile.objects.values_list("name", "reason")) == [
            ("model.pt", "acme stores 11 GB of 10 GB. Ask ada."), ("other.pt", "acme stores 11 GB of 10 GB. Ask ada."),
        ]  # fmt: skip
        [mail] = [mail for mail in mailoutbox if "not stored" in mail.subject]
        assert (mail.to, "model.pt" in mail.body) == ([run.user.email], True)
        assert [mark.label for mark in timeline_of(run).marks] == ["2 files not stored"]
        client.force_login(run.user)
        page = client.get(
            f"/{run.project.team.name}/{run.project.name}/runs/{run.uid}/files"
        ).content.decode()
        assert "other.pt" in page
        assert "Ask ada." in page
        assert _ask("PUT", paths[0], b"weights").status_code == 200
        assert list(RefusedFile.objects.values_list("name", flat=True)) == ["other.pt"]

    def test_keeps_equal_content_once(self, put_path: str, tmp_path: Path):
        run = RunFactory()
        for path in (put_path, tickets.put_path("run-file", r=run.pk, n="copy.txt")):
            _ask("PUT", path, b"same")
        assert Blob.objects.count() == 1
        assert RunFile.objects.count() == 2
        assert len(_files(tmp_path)) == 1

    def test_a_full_disk_is_told_and_nothing_is_kept(self, put_path: str, tmp_path: Path):
        """The review's M3: 503 with a sentence; SDKs send the file again."""
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16 * 2**20, before[1]))  # the kernel refuses to write more
        try:
            reply = _ask("PUT", put_path, b"x" * 17 * 2**20)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert reply.status_code == 503
        assert "retry-after" not in reply.headers
        assert "no room" in reply.json()["error"]["message"]
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    def test_keeps_an_empty_file(self, put_path: str):
        assert _ask("PUT", put_path).status_code == 200
        assert RunFile.objects.get().size_bytes == 0

    def test_keeps_a_large_file_that_comes_in_pieces(self, put_path: str):
        async def pieces() -> AsyncIterator[bytes]:
            for number in range(40):
                yield bytes([number]) * 100_000

        assert _ask("PUT", put_path, pieces()).status_code == 200
        blob = Blob.objects.get()
        assert blob.size_bytes == 4_000_000
        assert hashlib.sha256(filesystem.path_of(blob.location).read_bytes()).hexdigest() == blob.digest

    def test_replaces_the_file_of_a_name_and_enters_the_difference(self, put_path: str):
        """BIL-4: the ledger's sum is what is held."""
        run = Run.objects.get()
        for content in (b"12345", b"123", b"1234567", b"1234567"):
            _ask("PUT", put_path, content)
        assert stored_bytes(run_id=run.pk) == stored_bytes(team_id=run.project.team_id) == 7
        assert list(ByteEntry.objects.order_by("pk").values_list("delta_bytes", flat=True)) == [5, -2, 4]

    def test_takes_a_body_whose_md5_is_right(self, put_path: str):
        digest = base64.b64encode(hashlib.md5(b"hello", usedforsecurity=False).digest()).decode()
        assert _ask("PUT", put_path, b"hello", Content_MD5=digest).status_code == 200

    def test_refuses_a_body_whose_md5_is_wrong(self, put_path: str, tmp_path: Path):
        answer = _ask("PUT", put_path, b"hello", Content_MD5="AAAAAAAAAAAAAAAAAAAAAA==")
        assert answer.status_code == 400
        assert "MD5" in answer.json()["error"]["message"]
        assert not _files(tmp_path)
        assert not RunFile.objects.exists()

    @pytest.mark.parametrize(
        "forge", [lambda path: path + "x", lambda path: path[:-4], lambda path: "/storage/put/x"]
    )
    def test_refuses_a_forged_ticket(self, put_path: str, tmp_path: Path, forge):
        answer = _ask("PUT", forge(put_path), b"hello")
        assert answer.status_code == 403
        assert answer.json()["error"]["code"] == "forbidden"
        assert not _files(tmp_path)

    def test_refuses_a_ticket_to_get(self):
        token = _get_path().removeprefix(tickets.GET_PATH).partition("/")[0]
        assert _ask("PUT", tickets.PUT_PATH + token, b"hello").status_code == 403

    def test_refuses_an_expired_ticket(self, put_path: str, settings):
        with time_machine.travel(timezone.now().timestamp() + settings.TICKET_UPLOAD_S + 2, tick=True):
            answer = _ask("PUT", put_path, b"hello")
        assert answer.status_code == 403
        assert "expired" in answer.json()["error"]["message"]

    def test_refuses_more_than_the_limit(self, put_path: str, settings, tmp_path: Path):
        settings.UPLOAD_MAX_BYTES = 1000

        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(20):
                yield b"x" * 100

        answer = _ask("PUT", put_path, pieces())
        assert answer.status_code == 413
        assert "1000 bytes" in answer.json()["error"]["message"]
        assert not _files(tmp_path)

    def test_takes_exactly_the_limit(self, put_path: str, settings):
        settings.UPLOAD_MAX_BYTES = 1000
        assert _ask("PUT", put_path, b"x" * 1000).status_code == 200

    def test_refuses_a_declared_length_over_the_limit_without_reading(self, put_path: str, settings):
        settings.UPLOAD_MAX_BYTES = 1000

        async def endless() -> AsyncIterator[bytes]:
            raise AssertionError("the body was read")
            yield b""

        answer = _ask("PUT", put_path, endless(), Content_Length="1001")
        assert answer.status_code == 413

    def test_refuses_a_file_of_a_deleted_run_and_keeps_nothing(self, put_path: str, tmp_path: Path):
        """RUN-9; content that no row names would lie on the disk for ever."""
        run = Run.objects.get()
        deletion.delete_run(actor=SYSTEM, run=run)
        assert _ask("PUT", put_path, b"late").status_code == 410
        assert not Blob.objects.exists()
        assert not _files(tmp_path)

    def test_refuses_for_a_deleted_run_what_another_run_has_and_leaves_that_alone(self, put_path: str):
        kept = store_bytes(b"shared")
        run = Run.objects.get()
        deletion.delete_run(actor=SYSTEM, run=run)
        assert _ask("PUT", put_path, b"shared").status_code == 410
        assert filesystem.path_of(kept.location).read_bytes() == b"shared"

    def test_a_client_that_goes_away_leaves_nothing(self, put_path: str, tmp_path: Path):
        async def upload() -> list[dict[str, Any]]:
            half: dict[str, Any] = {"type": "http.request", "body": b"half", "more_body": True}
            messages = iter([half, {"type": "http.disconnect"}])
            sent: list[dict[str, Any]] = []

            async def receive() -> dict[str, Any]:
                return next(messages)

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)

            scope = {"type": "http", "method": "PUT", "path": put_path, "raw_path": put_path.encode(),
                     "query_string": b"", "root_path": "", "headers": [], "http_version": "1.1"}  # fmt: skip
            await application(scope, receive, send)
            return sent

        asyncio.run(upload())
        assert not _files(tmp_path)
        assert not Blob.objects.exists()

    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_answers_only_put(self, put_path: str, method: str):
        assert _ask(method, put_path).status_code == 405


class TestGet:
    def test_sends_the_whole(self):
        answer = _ask("GET", _get_path())
        assert (answer.status_code, answer.content) == (200, b"0123456789")
        assert answer.headers["Content-Type"].startswith("text/plain")
        assert answer.headers["Accept-Ranges"] == "bytes"

    @pytest.mark.parametrize(
        ("wanted", "status", "content"),
        [
            ("bytes=2-4", 206, b"234"),
            ("bytes=7-", 206, b"789"),
            ("bytes=-3", 206, b"789"),
            ("bytes=50-60", 416, None),
        ],
    )
    def test_sends_a_range(self, wanted: str, status: int, content: bytes | None):
        answer = _ask("GET", _get_path(), Range=wanted)
        assert answer.status_code == status
        if content is not None:
            assert answer.content == content
            assert answer.headers["Content-Range"].endswith("/10")

    def test_says_that_nothing_changed(self):
        path = _get_path()
        etag = _ask("GET", path).headers["ETag"]
        answer = _ask("GET", path, If_None_Match=etag)
        assert (answer.status_code, answer.content) == (304, b"")
        assert _ask("GET", path, If_None_Match='"another"').status_code == 200

    def test_head_sends_no_body(self):
        answer = _ask("HEAD", _get_path())
        assert (answer.status_code, answer.content, answer.headers["Content-Length"]) == (200, b"", "10")

    def test_runs_nothing_in_the_applications_origin(self):
        """ART-7."""
        headers = _ask("GET", _get_path(b"<script>", "page.html", "text/html")).headers
        assert "sandbox" in headers["Content-Security-Policy"]
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Disposition"].startswith("attachment")
        assert "private" in headers["Cache-Control"]

    @pytest.mark.parametrize(
        ("kind", "download", "disposition"),
        [
            ("image/png", False, "inline"), ("text/plain", False, "inline"), ("video/mp4", False, "inline"),
            ("image/png", True, "attachment"), ("text/html", False, "attachment"),
            ("application/javascript", False, "attachment"), ("image/svg+xml; charset=x", False, "attachment"),
            ("text/plainly", False, "attachment"),
        ],
    )  # fmt: skip
    def test_shows_only_what_is_harmless(self, kind: str, download: bool, disposition: str):
        headers = _ask("GET", _get_path(kind=kind, download=download)).headers
        assert headers["Content-Disposition"].split(";")[0] == disposition

    @pytest.mark.parametrize(
        "name", ['a"; x=y.txt', "naïve.txt", "new\r\nSet-Cookie: a=b.txt", "../../etc/passwd"]
    )
    def test_any_name_is_a_harmless_file_name(self, name: str):
        headers = _ask("GET", _get_path(name=name)).headers
        disposition = headers["Content-Disposition"]
        assert disposition.startswith("inline; filename*=UTF-8''")
        assert not set(disposition.partition("''")[2]) & set('"; \r\n/')
        assert "Set-Cookie" not in headers

    @pytest.mark.parametrize(
        "forge", [lambda path: path.rpartition("/")[0] + "x/notes.txt", lambda path: "/storage/get/x"]
    )
    def test_refuses_a_forged_ticket(self, forge):
        assert _ask("GET", forge(_get_path())).status_code == 403

    @pytest.mark.parametrize(
        ("name", "end"),
        [
            ("a/notes.txt", "/notes.txt"),
            ("50 %?#.txt", "/50%20%25%3F%23.txt"),
            ("..", None),
            ("n" * 2000, None),
        ],
    )
    def test_the_path_ends_with_the_name_which_the_ticket_does_not_need(self, name: str, end: str | None):
        path = _get_path(name=name)
        assert path.endswith(end) if end else path.count("/") == 3
        assert _ask("GET", path).status_code == 200
        assert _ask("GET", "/".join(path.split("/")[:4])).status_code == 200

    def test_the_path_of_a_missing_file_is_answered_with_404(self):
        assert _ask("GET", tickets.missing_path("a/ä?.txt")).status_code == 404

    def test_refuses_a_ticket_to_put(self, put_path: str):
        token = put_path.removeprefix(tickets.PUT_PATH)
        assert _ask("GET", tickets.GET_PATH + token).status_code == 403

    def test_refuses_an_expired_ticket(self, settings):
        path = _get_path()
        with time_machine.travel(timezone.now().timestamp() + settings.TICKET_DOWNLOAD_S + 2, tick=True):
            assert _ask("GET", path).status_code == 403

    def test_says_when_the_content_is_gone(self):
        path = _get_path()
        filesystem.delete(Blob.objects.get().location)
        assert _ask("GET", path).status_code == 404


class TestRoom:
    @pytest.fixture(autouse=True)
    def full(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have no room for the team 7."""

        def check(team_id: int) -> None:
            if team_id == 7:
                raise TooLarge("The team has no room.")

        monkeypatch.setattr(plan_policy(), "require_storage", check)
        quota.forget()

    def test_a_team_without_room_is_told_and_nothing_is_kept(self, tmp_path: Path):
        """BIL-3: SDKs do not send an upload again after a 413."""
        path = tickets.put_path("run-file", r=RunFactory().pk, n="model.pt", **{tickets.TEAM: 7})
        answer = _ask("PUT", path, b"weights")
        assert answer.status_code == 413
        assert answer.json()["error"] == {
            "code": "too_large",
            "message": "The team has no room.",
            "detail": None,
        }
        assert _files(tmp_path) == []
        assert not RunFile.objects.exists()

    @pytest.mark.parametrize("more", [{}, {tickets.TEAM: 8}])
    def test_files_that_need_none_and_other_teams_go_on(self, more: dict[str, int]):
        path = tickets.put_path("run-file", r=RunFactory().pk, n="config.yaml", **more)
        assert _ask("PUT", path, b"lr: 1").status_code == 200


class TestOtherOrigins:
    """As `wandb verify` checks a bucket: pages of the installation's other names read and write by signed URLs."""

    @pytest.fixture(autouse=True)
    def _own_names(self, settings) -> None:
        settings.ALLOWED_HOSTS = ["runyard.example.com", "localhost", "[::1]"]

    @pytest.mark.parametrize(
        "origin", ["https://runyard.example.com", "http://localhost:8888", "http://[::1]:8000"]
    )
    @pytest.mark.parametrize("method", ["GET", "PUT"])
    def test_own_names_may(self, put_path: str, origin: str, method: str):
        path = put_path if method == "PUT" else _get_path()
        asked = _ask("OPTIONS", path, Origin=origin, Access_Control_Request_Method=method)
        assert (asked.status_code, asked.headers["Access-Control-Allow-Origin"]) == (200, origin)
        assert method in asked.headers["Access-Control-Allow-Methods"]
        done = _ask(method, path, b"hello" if method == "PUT" else b"", Origin=origin)
        assert (done.status_code, done.headers["Access-Control-Allow-Origin"]) == (200, origin)
        assert "Origin" in done.headers["Vary"]
        assert "ETag" in done.headers["Access-Control-Expose-Headers"]
        assert not any("credentials" in name for name in (*asked.headers, *done.headers))

    @pytest.mark.parametrize(
        "origin",
        ["https://elsewhere.example", "https://runyard.example.com.evil.example", "null", "http://["],
    )
    def test_others_may_not(self, origin: str):
        path = _get_path()
        asked = _ask("OPTIONS", path, Origin=origin, Access_Control_Request_Method="GET")
        assert asked.status_code == 400
        for answer in (asked, _ask("GET", path, Origin=origin)):
            assert "Access-Control-Allow-Origin" not in answer.headers

    def test_only_signed_urls_answer_so(self):
        for path in ("/sdk/otel/v1/metrics", "/healthz", "/graphql"):
            asked = _ask("OPTIONS", path, Origin="http://localhost", Access_Control_Request_Method="GET")
            assert "Access-Control-Allow-Origin" not in asked.headers

    def test_options_without_an_origin_stores_nothing(self, put_path: str):
        assert _ask("OPTIONS", put_path).status_code == 405
        assert not RunFile.objects.exists()


class TestPutPart:
    """ART-7: a part is a PUT of its own, whose ticket names the part and what it holds."""

    @staticmethod
    def _path(content: bytes, number: int = 1) -> str:
        md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
        return tickets.part_path("run-file", "ab" * 16, number, md5, r=1, n="large.bin")

    def test_keeps_it_and_answers_with_its_etag(self):
        content = b"a part" * 1000
        answer = _ask("PUT", self._path(content), content)
        md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
        assert (answer.status_code, answer.headers["ETag"]) == (200, f'"{md5}"')
        assert (Path(filesystem.path_of("parts")) / ("ab" * 16) / "1").read_bytes() == content

    def test_other_bytes_are_refused_and_leave_nothing(self, tmp_path: Path):
        answer = _ask("PUT", self._path(b"announced"), b"sent")
        assert answer.status_code == 400
        assert "part 1 is" in answer.json()["error"]["message"]
        assert not _files(tmp_path)

    def test_a_ticket_of_a_part_is_for_nothing_else(self, put_path: str):
        part = self._path(b"x")
        assert _ask("PUT", part.replace(tickets.PART_PATH, tickets.PUT_PATH), b"x").status_code == 403
        assert _ask("PUT", put_path.replace(tickets.PUT_PATH, tickets.PART_PATH), b"x").status_code == 403

    def test_expires(self, settings):
        path = self._path(b"x")
        with time_machine.travel(timezone.now().timestamp() + settings.TICKET_UPLOAD_S + 5):
            assert _ask("PUT", path, b"x").status_code == 403
