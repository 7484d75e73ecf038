"""POSTs to addresses that people wrote (ALR-7): to the public network only, in 10 s, and no redirect is followed."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from common.safe_http import client
from common.safe_http.addresses import OutgoingError
from common.safe_http.client import Answer, post
from tests.fakes.sinks import Sink, sink

HERE = "127.0.0.0/8"
PUBLIC = "93.184.215.14"

FORMS = [
    "127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.0.0.1.", "127.1", "127.0.1", "2130706433",
    "0x7f000001", "0x7f.0.0.1", "0x7f.1", "017700000001", "0177.0.0.1", "0177.1", "127.0.0.2", "127.255.255.254",
    "0.0.0.0",  # noqa: S104 - asked, not bound
    "0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
    "[::127.0.0.1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[2001:0:7f00:1::]", "[fe80::1]", "[fe80::1%25lo]", "[fe80::1%lo]", "[::1%25lo]", "[fc00::1]", "[fd00:ec2::254]",
    "[fec0::1]", "[ff02::1]", "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.0.1", "169.254.169.254",
    "169.254.170.2", "100.64.0.1", "100.100.100.200", "192.0.0.192", "198.18.0.1", "192.88.99.1", "168.63.129.16",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "①②⑦.⓪.⓪.①",
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11", "127。0。0。1",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "localhost.localdomain", "ip6-localhost",
]  # fmt: skip
"""How hosts are written that are not of the public network: this machine, the own network, the cloud's own."""

ODD = [
    "http://user@127.0.0.1:PORT/", "http://user:secret@127.0.0.1:PORT/", "http://example.com@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\\@example.com/", "http://example.com\\@127.0.0.1:PORT/", "http://@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#@example.com/", "http:/127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/", "//127.0.0.1:PORT/", "127.0.0.1:PORT", "http:///127.0.0.1:PORT/",
    "http://127.0.0.1:PORT/\r\nX-Injected: 1", "http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: a",
    "http://127.0.0.1\r\n.example.com:PORT/", "http://127.0.0.1\t:PORT/", " http://127.0.0.1:PORT/",
    "http://127.0.0.1\x00.example.com:PORT/", "http://127.0.0.1%00.example.com:PORT/", "http://%31%32%37.0.0.1:PORT/",
    "http://[127.0.0.1]:PORT/", "http://[::1:PORT/", "http://::1:PORT/", "http://127.0.0.1:PORT:80/",
    "http://127.0.0.1:99999/", "http://127.0.0.1:-1/", "file:///etc/passwd", "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_POST", "dict://127.0.0.1:PORT/", "ws://127.0.0.1:PORT/", "javascript:alert(1)",
    "data:text/plain,x", "http://", "http:///", "", "http://.:PORT/", "http://..:PORT/", "http://127.0.0.1:25/",
    "http://" + "a" * 3000 + "/", "http://127.0.0.1:PORT/é", "jar:http://127.0.0.1:PORT/!/",
]  # fmt: skip
"""Addresses that hide where they lead, or are none of the web."""


@pytest.fixture
def peer(settings: Any) -> Iterator[Sink]:
    """A peer in a network that the operator allowed."""
    settings.ALLOWED_NETWORKS = [HERE]
    with sink() as running:
        yield running


@pytest.fixture(scope="module")
def everywhere() -> Iterator[Sink]:
    """A peer that all addresses of this machine reach."""
    with sink(everywhere=True) as running:
        yield running


def said(url: str, body: bytes = b"{}", **headers: str) -> Answer:
    return post(url, body=body, headers={"Content-Type": "application/json", **headers})


class TestWhatIsNeverReached:
    """ALR-7: requests to private, loopback and link-local addresses are refused."""

    @pytest.mark.parametrize("host", FORMS)
    def test_a_host_that_is_not_public(self, everywhere: Sink, host: str):
        before = everywhere.connection_count
        with pytest.raises(OutgoingError):
            said(f"http://{host}:{everywhere.port}/")
        assert everywhere.connection_count == before

    @pytest.mark.parametrize("url", ODD)
    def test_an_address_that_hides_where_it_leads(self, everywhere: Sink, url: str):
        before = everywhere.connection_count
        with pytest.raises(OutgoingError) as refusal:
            said(url.replace("PORT", str(everywhere.port)))
        assert everywhere.connection_count == before
        assert refusal.value.is_refused

    def test_the_same_peer_is_reached_where_its_network_is_allowed(self, everywhere: Sink, settings: Any):
        settings.ALLOWED_NETWORKS = [HERE]
        before = everywhere.connection_count
        for host in ("127.0.0.1", "2130706433", "localhost"):
            assert said(f"http://{host}:{everywhere.port}/taken").status == 200
        assert everywhere.connection_count == before + 3

    def test_another_network_stays_closed(self, everywhere: Sink, settings: Any):
        settings.ALLOWED_NETWORKS = ["10.0.0.0/8", "::1/128"]
        before = everywhere.connection_count
        with pytest.raises(OutgoingError, match="not on the public network"):
            said(f"http://127.0.0.1:{everywhere.port}/")
        assert everywhere.connection_count == before

    def test_a_name_that_leads_elsewhere_the_second_time(
        self, everywhere: Sink, monkeypatch: pytest.MonkeyPatch
    ):
        asked: list[str] = []

        def resolver(host: str, port: int, **_: Any) -> list[Any]:
            asked.append(host)
            address = PUBLIC if len(asked) == 1 else "127.0.0.1"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        before = everywhere.connection_count
        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        with pytest.raises((UserWarning, RuntimeError), match=PUBLIC):  # pytest-socket lets nobody reach it
            said(f"http://rebinding.example:{everywhere.port}/")
        assert asked == ["rebinding.example"]
        assert everywhere.connection_count == before

    def test_a_name_of_which_one_address_is_private(self, everywhere: Sink, monkeypatch: pytest.MonkeyPatch):
        def resolver(_host: str, port: int, **_: Any) -> list[Any]:
            return [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
                for address in (PUBLIC, "127.0.0.1")
            ]

        before = everywhere.connection_count
        monkeypatch.setattr(socket, "getaddrinfo", resolver)
        with pytest.raises(OutgoingError, match="not on the public network"):
            said(f"http://both.example:{everywhere.port}/")
        assert everywhere.connection_count == before


class TestRedirects:
    """ALR-7: redirects are not followed."""

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_one_is_an_answer(self, peer: Sink, status: int):
        peer.answers["/moved"] = (status, {"Location": peer.url("/secret")}, b"elsewhere")
        answer = said(peer.url("/moved"))
        assert (answer.status, answer.content) == (status, b"elsewhere")
        assert [taken.path for taken in peer.taken] == ["/moved"]


class TestTime:
    """ALR-7: all of it takes 10 s at most; here the limit is shorter."""

    @pytest.fixture(autouse=True)
    def _short(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(client, "WHOLE_S", 0.4)

    @pytest.mark.parametrize("path", ["/silent", "/drip"])
    def test_a_peer_that_does_not_answer_is_left(self, peer: Sink, path: str):
        with pytest.raises(OutgoingError, match=r"took longer than 0\.4 s") as left:
            said(peer.url(path))
        assert not left.value.is_refused

    def test_an_answer_whose_body_never_ends_counts_by_its_status(self, peer: Sink):
        answer = said(peer.url("/drip-body"))
        assert (answer.status, answer.is_cut) == (200, True)
        assert set(answer.content) == {ord(".")}

    def test_a_peer_that_greets_with_silence_instead_of_tls_is_left(self, settings: Any):
        settings.ALLOWED_NETWORKS = [HERE]
        with (
            socket.create_server(("127.0.0.1", 0)) as listener,
            pytest.raises(OutgoingError, match="took longer"),
        ):
            said(f"https://127.0.0.1:{listener.getsockname()[1]}/")

    def test_a_name_server_that_does_not_answer_is_left(self, monkeypatch: pytest.MonkeyPatch):
        import threading

        over = threading.Event()
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait() and [])
        with pytest.raises(OutgoingError, match="was not found in time"):
            said("http://slow.example/")
        over.set()


class TestAnswers:
    def test_a_peer_gets_what_it_was_sent_and_nothing_more(self, peer: Sink):
        answer = said(peer.url("/hook?a=b"), b'{"a": 1}', Authorization="Bearer x")
        assert (answer.status, answer.content, answer.is_cut) == (200, b"ok", False)
        [taken] = peer.taken
        assert (taken.path, taken.body) == ("/hook?a=b", b'{"a": 1}')
        assert taken.headers.pop("host") == f"127.0.0.1:{peer.port}"
        assert taken.headers == {
            "accept-encoding": "identity",
            "content-length": "8",
            "content-type": "application/json",
            "authorization": "Bearer x",
            "connection": "close",
        }

    def test_of_a_long_answer_the_beginning_is_read(self, peer: Sink):
        answer = said(peer.url("/big"))
        assert (answer.status, len(answer.content), answer.is_cut) == (200, 64 * 1024, True)

    def test_a_peer_that_hangs_up_is_an_error(self, peer: Sink):
        with pytest.raises(OutgoingError):
            said(peer.url("/close"))

    def test_a_port_where_nobody_listens_is_an_error(self, peer: Sink):
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        with pytest.raises(OutgoingError, match="refused"):
            said(f"http://127.0.0.1:{port}/")

    def test_a_header_cannot_bring_another(self, peer: Sink):
        with pytest.raises(OutgoingError):
            said(peer.url(), b"{}", Authorization="x\r\nX-Injected: 1")
        assert peer.taken == []
