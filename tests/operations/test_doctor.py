"""`doctor` names what is wrong and how to mend it; of what works it says so."""

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from config.doctor import parts
from config.doctor.address import address
from config.doctor.findings import Finding, State
from tests.fakes.smtp import mail_server
from tests.installation import Installation
from tests.ports import free_port

PARTS = {"settings", "disk", "database", "redis", "clock", "worker", "mail", "storage", "address"}


def only(findings: Iterator[Finding]) -> Finding:
    [finding] = findings
    return finding


def test_an_installation_that_works_is_well(server: Installation) -> None:
    """By its command, over its own address, with WebSockets and a large body."""
    found = server.manage("doctor", "--json")
    assert [one for one in found["findings"] if one["state"] == "broken"] == []
    assert found["ok"]
    assert {one["part"] for one in found["findings"]} == PARTS
    told = server.manage("doctor")
    assert "ok    address" in told


def test_what_is_broken_ends_it_with_1(new_server: Callable[..., Installation]) -> None:
    server = new_server()
    server.kill9("web")
    status, printed, _ = server.management.run(["doctor"])
    assert status == 1
    assert "FAIL  address" in printed
    assert "Is it running?" in printed


class Proxy(http.server.BaseHTTPRequestHandler):
    """Answers /healthz as Runyard does, and all else as `answer` says."""

    answers: dict[str, tuple[int, dict[str, str]]]

    def do_GET(self) -> None:
        """Answer."""
        if self.path == "/healthz":
            self._send(200, {"Content-Type": "application/json"})
        else:
            self._send(*self.answers.get(self.path, (404, {})))

    def do_POST(self) -> None:
        """Answer, once the body is there."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def _send(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def proxy(answers: dict[str, tuple[int, dict[str, str]]]) -> Iterator[str]:
    handler = type("Answering", (Proxy,), {"answers": answers})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_port}"
        finally:
            listening.shutdown()
            thread.join()


class TestAddress:
    """What a proxy does wrong; that nothing is wrong is tried on a real server above."""

    @pytest.mark.parametrize(
        ("answers", "text", "advice"),
        [
            (
                {"/accounts/login/": (301, {"Location": "https://x.example/accounts/login/"})},
                "moved to themselves", "RUNYARD_BEHIND_PROXY=true",
            ),
            ({"/accounts/login/": (400, {})}, "asked by another name", "RUNYARD_ALLOWED_HOSTS"),
            ({"/ws/me": (404, {})}, "WebSockets do not come through", "Upgrade"),
            ({"/graphql": (413, {})}, "Bodies of 3 MiB are refused", "client_max_body_size"),
        ],
    )  # fmt: skip
    def test_each_fault_of_a_proxy_is_named(
        self, settings: Any, answers: Any, text: str, advice: str
    ) -> None:
        with proxy(answers) as settings.BASE_URL:
            found = {one.text: one.advice for one in address()}
        [said] = [one for one in found if text in one]
        assert advice in found[said]

    def test_another_server_at_the_address_is_seen(self, settings: Any) -> None:
        with proxy({"/other/healthz": (200, {})}) as url:
            settings.BASE_URL = f"{url}/other"
            assert "not as Runyard does" in only(address()).text

    def test_nobody_at_the_address_is_seen(self, settings: Any) -> None:
        settings.BASE_URL = f"http://127.0.0.1:{free_port()}"
        assert only(address()).state == State.BROKEN


class TestParts:
    def test_a_folder_that_cannot_be_written_is_named(self, settings: Any, tmp_path: Path) -> None:
        settings.DATA_FOLDER = tmp_path / "file" / "home"
        (tmp_path / "file").touch()
        assert "cannot be written" in only(parts.disk()).text

    def test_a_full_disk_is_seen_before_it_is_full(self, settings: Any) -> None:
        settings.FREE_DISK_BYTES = 2**60
        assert (only(parts.disk()).state, "RUNYARD_FREE_DISK_MIB" in only(parts.disk()).text) == (
            State.BROKEN,
            True,
        )

    @pytest.mark.django_db
    def test_missing_migrations_and_those_of_another_version_are_named(self) -> None:
        assert only(parts.database()).state == State.FINE
        applied = MigrationRecorder(connection).migration_qs
        applied.create(app="runs", name="9999_of_the_future")
        assert "runs.9999_of_the_future" in only(parts.database()).text
        applied.filter(name="9999_of_the_future").delete()
        applied.filter(app="runs").order_by("-pk")[:1].get().delete()
        assert "lacks migrations: runs.0" in only(parts.database()).text

    @pytest.mark.django_db
    def test_a_redis_that_is_away_is_named_once(self, settings: Any) -> None:
        settings.REDIS_URL = "unix:///nowhere/redis.sock"
        assert only(parts.redis_server()).state == State.BROKEN
        assert list(parts.worker()) == []
        assert only(parts.clock()).state == State.FINE

    @pytest.mark.django_db
    def test_a_clock_that_goes_wrong_is_seen(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parts, "_other_clocks", lambda: {"Redis": 1_000_000.0})
        assert "that of Redis are" in only(parts.clock()).text

    def test_mail_is_tried_without_sending_any(self, settings: Any) -> None:
        settings.EMAIL_BACKEND = "accounts.mail.outbox.OutboxBackend"
        assert only(parts.mail()).state == State.WARNING
        settings.EMAIL_BACKEND, settings.EMAIL_HOST = (
            "django.core.mail.backends.smtp.EmailBackend",
            "127.0.0.1",
        )
        with mail_server() as peer:
            settings.EMAIL_PORT = peer.port
            assert only(parts.mail()).state == State.FINE
            assert peer.mails == []
        assert (only(parts.mail()).state, "RUNYARD_EMAIL_URL" in only(parts.mail()).advice) == (
            State.BROKEN,
            True,
        )
