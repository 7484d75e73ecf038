"""Statements to the servers of one ClickHouse cluster, over their HTTP interface.

https://clickhouse.com/docs/interfaces/http: the statement and its parameters lie in the URL, rows in the body. Threads
share the connections.
"""

import logging
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

import urllib3
from django.conf import settings
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.util import Timeout

from common.telemetry.tracing import spans
from storage.backends.base import StorageUnavailable

logger = logging.getLogger(__name__)

READ_S, WRITE_S = 15.0, 60.0
"""How long an answer may take: somebody looks at a chart; a segment has up to some tens of MB."""
_CONNECT_S = 3.0
_GIVING_UP_S = 5.0
"""So much later than ClickHouse gives a statement up nobody waits for it any more."""
_DOWN_FOR_S = 30.0
"""A server that could not be reached is tried last for so long."""
_CONNECTIONS = 32
_PORTS = {"http": 8123, "https": 8443}
_REASON = re.compile(r"\(([A-Z_]{4,})\)")
"""The name of an error at the end of its text."""
_UNREACHED = NewConnectionError, ConnectTimeoutError
"""Nothing was sent: another server may be asked whatever the statement does."""


class _Refused(Exception):
    """A server has answered that it cannot; the text is ClickHouse's name of the error."""


@dataclass(frozen=True, slots=True)
class ClusterAddress:
    """What RUNYARD_CLICKHOUSE_URL says."""

    servers: tuple[str, ...]
    """``scheme://host:port`` of each."""
    user: str
    password: str
    database: str


def address_of(url: str) -> ClusterAddress:
    """Read ``http[s]://[user[:password]@]host[:port][,host[:port]…][/database]``.

    Raises:
        ValueError: it is another.
    """
    # newer Pythons' urlsplit refuses an IPv6 address after a comma
    scheme, _separator, rest = url.partition("://")
    scheme = scheme.lower()
    netloc, _slash, path = rest.partition("/")
    login, _at, hosts = netloc.rpartition("@")
    if scheme not in _PORTS or not hosts or set("?#") & set(rest):
        raise ValueError("http[s]://[user:password@]host[:port][,host[:port]...][/database] is expected")
    servers = []
    for host in hosts.split(","):
        one = urlsplit(f"//{host}")
        if not one.hostname:
            raise ValueError("a host is missing between two commas")
        name = f"[{one.hostname}]" if ":" in one.hostname else one.hostname
        servers.append(f"{scheme}://{name}:{one.port or _PORTS[scheme]}")
    user, _colon, password = login.partition(":")
    database = path.strip("/") or "runyard"
    if not database.isidentifier():
        raise ValueError("the name of the database has other characters than letters, digits and _")
    return ClusterAddress(tuple(servers), unquote(user) or "default", unquote(password), database)


@dataclass(frozen=True, slots=True)
class _Request:
    """A statement with what it needs."""

    statement: str
    parameters: Mapping[str, Any] | None
    options: Mapping[str, Any]
    rows: bytes | None = None
    """What an INSERT inserts."""
    table: "ExternalTable | None" = None

    def url_fields(self, database: str) -> dict[str, Any]:
        """Return what goes into the URL, which may be no longer than servers and proxies bear."""
        # answers are sent once they are whole, so that an error amid rows has a status of its own
        found = {"database": database, "wait_end_of_query": 1, **self.options}
        if self.rows is not None:
            found["query"] = self.statement
        if self.table is not None:
            found |= {
                f"{self.table.name}_structure": self.table.columns,
                f"{self.table.name}_format": "TabSeparated",
            }
        return found

    def content(self) -> dict[str, Any]:
        """Return the body, as urllib3 takes it."""
        if self.rows is not None:
            return {"body": self.rows}
        fields: dict[str, Any] = {"query": self.statement}
        fields |= {f"param_{name}": str(value) for name, value in (self.parameters or {}).items()}
        if self.table is not None:
            fields[self.table.name] = (self.table.name, self.table.lines)
        return {"fields": fields}


@dataclass(frozen=True, slots=True)
class ExternalTable:
    """A table that goes along with a statement, for it alone."""

    name: str
    columns: str
    """As in CREATE TABLE."""
    lines: bytes
    """Rows, separated by tabs."""


class Servers:
    """All servers of the cluster; any of them answers for all shards."""

    def __init__(self, address: ClusterAddress) -> None:
        self.address = address
        self._down_until: dict[str, float] = {}
        login = {"X-ClickHouse-User": address.user}
        if address.password:
            login["X-ClickHouse-Key"] = address.password
        self._http = urllib3.PoolManager(maxsize=_CONNECTIONS, retries=False, headers=login)

    def read(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        table: ExternalTable | None = None,
        timeout_s: float = READ_S,
        **options: Any,
    ) -> bytes:
        """Return what one server answers; where one cannot be reached, or breaks off, the next is asked.

        Args:
            statement: Without side effects; values as ``{name:Type}``.
            parameters: The values.
            table: That the statement may use.
            timeout_s: After which ClickHouse itself gives a statement up, which no other server then begins again.
            options: Settings of ClickHouse for this statement.

        Raises:
            StorageUnavailable: none answers, or one refuses.
        """
        options = {"max_execution_time": timeout_s, **options}
        request = _Request(statement, parameters, options, table=table)
        return self._first(request, timeout_s=timeout_s + _GIVING_UP_S, gone=(HTTPError,))

    def write(self, statement: str, rows: bytes, **options: Any) -> None:
        """Insert rows by one server; durable on their shard when this returns.

        Raises:
            StorageUnavailable: none can be reached, or one refuses or breaks off: rows may be stored then.
        """
        self._first(_Request(statement, None, options, rows), timeout_s=WRITE_S, gone=_UNREACHED)

    def on_each(
        self, statement: str, parameters: Mapping[str, Any] | None = None, **options: Any
    ) -> dict[str, bytes]:
        """Return the answer of every server.

        Raises:
            StorageUnavailable: one does not answer; others may have done it.
        """
        return {server: self.on(server, statement, parameters, **options) for server in self.address.servers}

    def on(
        self, server: str, statement: str, parameters: Mapping[str, Any] | None = None, **options: Any
    ) -> bytes:
        """Return the answer of one server.

        Raises:
            StorageUnavailable: it does not answer, or refuses; the message, which is for operators, names it.
        """
        try:
            return self._send(server, _Request(statement, parameters, options), timeout_s=WRITE_S)
        except HTTPError as error:
            reason = f"ClickHouse ({server}) does not answer ({type(error).__name__}); try again later."
            raise StorageUnavailable(reason) from error
        except _Refused as error:
            raise StorageUnavailable(f"ClickHouse ({server}) refuses: {error}.") from error

    def _first(self, request: _Request, *, timeout_s: float, gone: tuple[type[HTTPError], ...]) -> bytes:
        """Return what the first server answers that can; errors of ``gone`` let the next one try.

        Messages are for whoever looks at a chart: the log names the servers.
        """
        for server in self._in_turn():
            try:
                return self._send(server, request, timeout_s=timeout_s)
            except gone as error:
                self._down_until[server] = time.monotonic() + _DOWN_FOR_S
                logger.warning("ClickHouse server %s does not answer: %s", server, error)
            except HTTPError as error:
                logger.warning("ClickHouse server %s broke off: %s", server, error)
                break
            except _Refused as error:
                raise StorageUnavailable(
                    f"ClickHouse cannot do this now ({error}); try again later."
                ) from error
        raise StorageUnavailable("ClickHouse does not answer; try again later.")

    def _in_turn(self) -> list[str]:
        """Return all servers in random order, so that each has as much to do; those last seen down at the end."""
        now = time.monotonic()
        servers = random.sample(self.address.servers, len(self.address.servers))
        return sorted(servers, key=lambda server: self._down_until.get(server, 0) > now)

    def _send(self, server: str, request: _Request, *, timeout_s: float) -> bytes:
        with spans.span("ClickHouse", "client", {"db.system.name": "clickhouse", "server.address": server}):
            answer = self._http.request(
                "POST",
                f"{server}/?{urlencode(request.url_fields(self.address.database))}",
                timeout=Timeout(connect=_CONNECT_S, read=timeout_s),
                **request.content(),
            )
        if answer.status != 200:
            raise _refused(server, answer)
        return answer.data


def _refused(server: str, answer: urllib3.BaseHTTPResponse) -> _Refused:
    """Return what anybody may hear; the log has the whole text, with parts of the statement."""
    text = answer.data.decode(errors="replace").strip()
    logger.warning("ClickHouse server %s refuses (%s): %s", server, answer.status, text[:2000])
    [*_, reason] = ["", *_REASON.findall(text)]
    return _Refused(reason or f"HTTP status {answer.status}")


@lru_cache(maxsize=4)
def _servers(url: str) -> Servers:
    return Servers(address_of(url))


def cluster_servers() -> Servers:
    """Return those that the settings name.

    Raises:
        StorageUnavailable: they name none, or in another way than `address_of` reads.
    """
    if not settings.CLICKHOUSE_URL:
        raise StorageUnavailable("No metrics can be kept in ClickHouse: RUNYARD_CLICKHOUSE_URL is not set.")
    try:
        return _servers(settings.CLICKHOUSE_URL)
    except ValueError as error:
        raise StorageUnavailable(f"RUNYARD_CLICKHOUSE_URL cannot be read: {error}.") from error
