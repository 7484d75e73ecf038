"""Requests to addresses that people wrote: never into the installation's own network, never without an end.

A name is looked up once, every address it has must be public, and the connection goes to what was checked: a name that
answers differently the second time (DNS rebinding) gains nothing.
"""

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from django.conf import settings

STEP_S = 5
"""How long a look-up's connection, and each read, may take ..."""
WHOLE_S = 10
"""... and all together."""
MAX_HOPS = 4
_AGENT = "Runyard (+pictures)"
_TUNNELS = [ipaddress.ip_network(net) for net in ("64:ff9b::/96", "2002::/16")]
"""Public by their form, but they lead to an IPv4 address that may not be."""
_MOVED = {301, 302, 303, 307, 308}


class OutgoingError(Exception):
    """Nothing was fetched; says why, for the log."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer of status 200."""

    content: bytes
    content_type: str


def fetch(url: str, *, max_bytes: int, accept: str) -> Fetched:
    """GET a public address by http or https, following a few redirects.

    Raises:
        OutgoingError: it is no such address, does not answer in time or with 200, or is larger than ``max_bytes``.
    """
    for _hop in range(MAX_HOPS):
        try:
            with _connected(url) as (connection, path):
                connection.request("GET", path, headers={"User-Agent": _AGENT, "Accept": accept})
                answer = connection.getresponse()
                if answer.status in _MOVED and answer.headers.get("Location"):
                    url = urljoin(url, str(answer.headers["Location"]))
                    continue
                if answer.status != 200:
                    raise OutgoingError(f"status {answer.status}")
                return Fetched(_read(answer, max_bytes), answer.headers.get_content_type())
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise OutgoingError(str(error) or type(error).__name__) from error
    raise OutgoingError("too many redirects")


def _read(answer: http.client.HTTPResponse, max_bytes: int) -> bytes:
    content = answer.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise OutgoingError(f"larger than {max_bytes} bytes")
    return content


@contextmanager
def _connected(url: str) -> Iterator[tuple[http.client.HTTPConnection, str]]:
    """Connect to a checked address of the URL's host; yield it with the path to ask for.

    A timer ends what has not ended by itself: a host that sends a byte now and then keeps every timeout of a read.
    """
    connection, path = _connection_to(url)
    late = threading.Event()
    timer = threading.Timer(WHOLE_S, _hang_up, [connection.sock, late])
    timer.daemon = True
    timer.start()
    try:
        yield connection, path
        if late.is_set():  # what was read so far looks like an answer that has ended
            raise OutgoingError(f"took longer than {WHOLE_S} s")
    finally:
        timer.cancel()
        connection.close()


def _hang_up(plain: socket.socket, late: threading.Event) -> None:
    late.set()
    try:
        plain.shutdown(socket.SHUT_RDWR)
    except OSError:  # over already
        return


def _connection_to(url: str) -> tuple[http.client.HTTPConnection, str]:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise OutgoingError("no address") from error
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or not host or parts.username is not None:
        raise OutgoingError("no address of the web")
    connection = http.client.HTTPConnection(host, port, timeout=STEP_S)
    try:
        plain = socket.create_connection((_public_address(host, port), port), timeout=STEP_S)
        connection.sock = _in_tls(plain, host) if parts.scheme == "https" else plain
    except (OSError, UnicodeError) as error:
        raise OutgoingError(str(error)) from error
    return connection, _path_of(parts)


def _in_tls(plain: socket.socket, host: str) -> socket.socket:
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=host)
    except OSError:
        plain.close()
        raise


def _path_of(parts: SplitResult) -> str:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii() or any(character <= " " for character in path):
        raise OutgoingError("no address of the web")
    return path


def _public_address(host: str, port: int) -> str:
    """Look the name up; every address must be one of the public network, unless an operator named the host."""
    found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if host.lower() not in settings.PICTURE_HOSTS:
        for address in found:
            where = ipaddress.ip_address(address.partition("%")[0])
            where = getattr(where, "ipv4_mapped", None) or where
            if not where.is_global or where.is_multicast or any(where in net for net in _TUNNELS):
                raise OutgoingError(f"{host} is not on the public network")
    return min(found, key=lambda address: ":" in address)  # IPv4 first: it works everywhere
