"""Which addresses that people wrote the server may ask: those of the public network, and what an operator allowed.

A name is looked up once, every address it has must be allowed, and the connection goes to one of these: a name that
answers differently the second time (DNS rebinding) gains nothing.
"""

import ipaddress
import queue
import re
import socket
import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.utils.translation import gettext as _

MAX_URL = 2000
"""Characters of an address."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_HOST = re.compile(r"[a-z0-9_.:-]+")
_MAIL_PORTS = {25, 465, 587}
"""What is sent there could be read as commands to a mail server, line by line."""
_NOT_PUBLIC = [
    ipaddress.ip_network(net)
    for net in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        "192.88.99.0/24",  # relays of 6to4: lead to whatever an IPv6 address says
        "168.63.129.16/32",  # the host below virtual machines of Azure, public by its form
        "2001::/23",  # Teredo and other tunnels
        "2002::/16",  # 6to4
        "2001:db8::/32", "3fff::/20",
    )
]  # fmt: skip
"""Of the public networks; written out, since what Python calls global differs between its releases.

Source: IANA's registries of special-purpose addresses.
"""
_PUBLIC_IPV6 = ipaddress.ip_network("2000::/3")
"""All that is given out; what IPv6 has for NAT64, IPv4 within, single networks and machines lies outside."""
_look_ups = threading.BoundedSemaphore(32)
"""How many may hang: `getaddrinfo` has no timeout."""


class OutgoingError(Exception):
    """Nothing was got; says why."""

    def __init__(self, message: str, *, is_refused: bool = False) -> None:
        """Say why, and whether it was refused here, so that the same address will be again."""
        super().__init__(message)
        self.is_refused = is_refused


@dataclass(frozen=True, slots=True)
class Target:
    """An address of the web, taken apart."""

    scheme: str
    host: str
    """In ASCII, without a dot at its end."""
    port: int
    path: str
    """With the query."""

    @property
    def default_port(self) -> int:
        """What goes without saying."""
        return 443 if self.scheme == "https" else 80


def target_of(url: str) -> Target:
    """Take an address apart.

    Raises:
        OutgoingError: it is none of the web, or hides where it leads.
    """
    if len(url) > MAX_URL:
        raise OutgoingError(_("it has more than %(most)s characters") % {"most": MAX_URL}, is_refused=True)
    if "\\" in url or any(character <= " " or character == "\x7f" for character in url):
        raise OutgoingError(_("it isn’t a web address"), is_refused=True)
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        host = (parts.hostname or "").encode("idna").decode().lower().removesuffix(".")
    except ValueError as error:  # UnicodeError is one
        raise OutgoingError(_("it isn’t a web address"), is_refused=True) from error
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc or not _HOST.fullmatch(host):
        raise OutgoingError(_("it isn’t a web address"), is_refused=True)
    if port in _MAIL_PORTS:
        raise OutgoingError(_("port %(port)s is for email") % {"port": port}, is_refused=True)
    return Target(parts.scheme, host, port, _path_of(parts))


def _path_of(parts: SplitResult) -> str:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not path.isascii():
        raise OutgoingError(_("it isn’t a web address"), is_refused=True)
    return path


@lru_cache(maxsize=4)
def networks_of(texts: tuple[str, ...]) -> list[Network]:
    """Read networks such as 10.0.0.0/8; raises ValueError for what is none."""
    return [ipaddress.ip_network(text) for text in texts]


def look_up(
    target: Target, *, wait_s: float, hosts: Collection[str] = (), networks: Sequence[Network] = ()
) -> list[tuple[socket.AddressFamily, Any]]:
    """Return where to connect to, IPv4 first: it works everywhere.

    Args:
        target: Whose host is looked up, once.
        wait_s: How long that may take.
        hosts: Which an operator named: they may be anywhere.
        networks: Which an operator allowed besides the public one.

    Raises:
        OutgoingError: there is no such host, it was not found in time, or one of its addresses is not allowed.
    """
    found = {entry[4][0]: (entry[0], entry[4]) for entry in _looked_up(target, wait_s)}
    if target.host not in hosts:
        for address in found:
            if not _is_allowed(str(address), networks):
                raise OutgoingError(f"{target.host} is not on the public network", is_refused=True)
    return sorted(found.values(), key=lambda entry: entry[0] != socket.AF_INET)


def _looked_up(target: Target, wait_s: float) -> list[Any]:
    late = OutgoingError(f"{target.host} was not found in time")
    if not _look_ups.acquire(timeout=wait_s):
        raise late
    answers: queue.SimpleQueue[list[Any] | Exception] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answers.put(error)
        finally:
            _look_ups.release()

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answers.get(timeout=wait_s)
    except queue.Empty:
        raise late from None
    if isinstance(found, Exception):
        why = getattr(found, "strerror", "") or found
        raise OutgoingError(f"{target.host} was not found: {why}") from found
    return found


def _is_allowed(text: str, networks: Sequence[Network]) -> bool:
    where = ipaddress.ip_address(text.partition("%")[0])
    where = getattr(where, "ipv4_mapped", None) or where
    if any(where in network for network in networks):
        return True
    if any(where in network for network in _NOT_PUBLIC):
        return False
    return where.version == 4 or where in _PUBLIC_IPV6
