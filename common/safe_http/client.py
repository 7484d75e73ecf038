"""Requests to addresses that people wrote: never into the installation's own network, never without an end.

Where they may lead is said in `common.safe_http.addresses`.
"""

import http.client
import socket
import ssl
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from django.conf import settings

from common.safe_http.addresses import Network, OutgoingError, Target, look_up, networks_of, target_of
from common.safe_http.deadlines import Deadline
from common.telemetry.tracing import spans

__all__ = ["Answer", "Fetched", "OutgoingError", "fetch", "post"]

STEP_S = 5
"""How long connecting to one address may take ..."""
WHOLE_S = 10
"""... and all together: look-up, connections, TLS, sending, reading, redirects."""
MAX_HOPS = 4
MAX_ANSWER_BYTES = 64 * 1024
"""What is read of the answer to a POST; the rest is not."""
_AGENT = "Runyard (+pictures)"
_MOVED = {301, 302, 303, 307, 308}


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer of status 200."""

    content: bytes
    content_type: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a peer answered to a POST."""

    status: int
    headers: Mapping[str, str]
    """By name in small letters."""
    content: bytes
    is_cut: bool
    """Whether there was more, or the rest did not come in time."""


def fetch(url: str, *, max_bytes: int, accept: str) -> Fetched:
    """GET a public address by http or https, following a few redirects.

    Raises:
        OutgoingError: it is no such address, does not answer in time or with 200, or is larger than ``max_bytes``.
    """
    headers = {"User-Agent": _AGENT, "Accept": accept}
    with Deadline(WHOLE_S) as deadline:
        for _hop in range(MAX_HOPS):
            with _exchange(
                url, deadline, hosts=settings.PICTURE_HOSTS, method="GET", headers=headers
            ) as answer:
                if answer.status in _MOVED and answer.headers.get("Location"):
                    url = urljoin(url, str(answer.headers["Location"]))
                    continue
                if answer.status != 200:
                    raise OutgoingError(f"status {answer.status}")
                content = answer.read(max_bytes + 1)
                deadline.check()  # what was read so far looks like an answer that has ended
                if len(content) > max_bytes:
                    raise OutgoingError(f"larger than {max_bytes} bytes")
                return Fetched(content, answer.headers.get_content_type())
    raise OutgoingError("too many redirects")


def post(url: str, *, body: bytes, headers: Mapping[str, str], hosts: Collection[str] = ()) -> Answer:
    """POST to a public address, or one of a network that the operator allowed; a redirect is an answer as others.

    Args:
        url: Of http or https.
        body: What to send.
        headers: All that are sent besides Host and Content-Length.
        hosts: Which an operator named: they may be anywhere.

    Raises:
        OutgoingError: it is no such address, or does not answer in time.
    """
    networks = networks_of(tuple(settings.ALLOWED_NETWORKS))
    with (
        Deadline(WHOLE_S) as deadline,
        _exchange(
            url, deadline, hosts=hosts, networks=networks, method="POST", body=body, headers=headers
        ) as answer,
    ):
        content, is_cut = _read_beginning(answer, deadline)
        answered = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, answered, content, is_cut)


def _read_beginning(answer: http.client.HTTPResponse, deadline: Deadline) -> tuple[bytes, bool]:
    """Read what is kept of an answer. Its status has come: that the rest does not changes nothing of what it says."""
    content = b""
    try:
        while len(content) <= MAX_ANSWER_BYTES:
            more = answer.read1(MAX_ANSWER_BYTES + 1 - len(content))
            if not more:
                return content, deadline.is_over
            content += more
    except (OSError, http.client.HTTPException):
        return content, True
    return content[:MAX_ANSWER_BYTES], True


@contextmanager
def _exchange(
    url: str,
    deadline: Deadline,
    *,
    hosts: Collection[str],
    networks: list[Network] | None = None,
    **request: Any,
) -> Iterator[http.client.HTTPResponse]:
    """Connect to a checked address of the URL's host, send the request and yield the answer, its head read."""
    target = target_of(url)
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.default_port = target.default_port
    try:
        with spans.span(request["method"], "client", {"server.address": target.host}):
            connection.sock = _connected(target, deadline, hosts, networks or [])
            request["headers"] = {**request["headers"], "Connection": "close"}
            connection.request(url=target.path, **request)
            answered = connection.getresponse()
            spans.describe(None, {"http.response.status_code": answered.status})
        with closing(answered) as answer:
            deadline.check()  # a head that was cut off looks like one that has ended
            yield answer
    except (OSError, http.client.HTTPException, ValueError) as error:
        deadline.check()
        raise OutgoingError(str(error) or type(error).__name__) from error
    finally:
        connection.close()


def _connected(
    target: Target, deadline: Deadline, hosts: Collection[str], networks: list[Network]
) -> socket.socket:
    """Connect to the first address that answers."""
    refusal: OSError = OSError("no address")
    for family, address in look_up(target, wait_s=deadline.left_s, hosts=hosts, networks=networks):
        plain = socket.socket(family, socket.SOCK_STREAM)
        try:
            plain.settimeout(min(STEP_S, deadline.left_s))
            deadline.watch(plain)
            plain.connect(address)
            plain.settimeout(None)  # the deadline closes it
            return _in_tls(plain, target, deadline) if target.scheme == "https" else plain
        except OSError as error:
            plain.close()
            deadline.check()
            refusal = error
    raise refusal


def _in_tls(plain: socket.socket, target: Target, deadline: Deadline) -> socket.socket:
    context = ssl.create_default_context()
    encrypted = context.wrap_socket(plain, server_hostname=target.host, do_handshake_on_connect=False)
    try:
        deadline.watch(encrypted)
        encrypted.do_handshake()
    except BaseException:
        encrypted.close()
        raise
    return encrypted
