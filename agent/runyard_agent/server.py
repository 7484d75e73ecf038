"""A Runyard server, by its REST API."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from runyard_agent import __version__
from runyard_agent.settings import Settings, SettingsError
from runyard_agent.spool.records import to_json
from runyard_agent.times import is_recent

if TYPE_CHECKING:
    import urllib3

_CONNECT_S, _ANSWER_S = 10.0, 60.0
_GZIP_FROM_BYTES = 1024
_GZIP_LEVEL = 3
"""Twice as quick as 6 for a tenth more bytes."""
_LONGEST_WAIT_S = 3600.0
"""A server that asks for more is asked again after this."""
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
_NOTHING_STORED = {429, 503}
UPLOADS_AT_ONCE = 100


class Refused(Exception):
    """The server understood and said no; asking again does not help."""

    def __init__(self, status: int, code: str, message: str, detail: Any = None) -> None:
        super().__init__(f"{message.rstrip('.')} ({status})")
        self.status, self.code, self.message, self.detail = status, code, message, detail

    @property
    def sentence(self) -> str:
        """What the server said, with a full stop."""
        return f"{self.message.rstrip('.')}."


class Unreachable(Exception):
    """No answer, or none of a healthy server; it is worth asking again.

    Args:
        retry_after_s: how long the server wants to be left alone.
        maybe_done: the request may have been carried out.
    """

    def __init__(self, message: str, retry_after_s: float | None = None, *, maybe_done: bool = True) -> None:
        super().__init__(message)
        self.message, self.retry_after_s, self.maybe_done = message, retry_after_s, maybe_done


class RunName(NamedTuple):
    """A run's path."""

    entity: str
    project: str
    uid: str


class Begun(NamedTuple):
    """A run as the server knows it."""

    entity: str
    project: str
    uid: str
    display_name: str
    url: str
    inserted: bool
    """It was made just now."""
    next_step: int


class Ack(NamedTuple):
    """What the server says to a post."""

    offsets: dict[str, int]
    """The next number it expects, by stream."""
    state: str
    stop_requested: bool


class Server:
    """Asks and tells over one connection that is kept; two threads may use it.

    Raises:
        SettingsError: the settings name no server or no key.
    """

    def __init__(self, settings: Settings) -> None:
        if not settings.url:
            raise SettingsError("set url (RUNYARD_URL) to the address of your Runyard server")
        if not settings.api_key:
            raise SettingsError("set api_key (RUNYARD_API_KEY), or store a key with `runyard-agent login`")
        self.url = settings.url.rstrip("/")
        if urllib.parse.urlsplit(self.url).scheme not in {"http", "https"}:
            raise SettingsError(f"url: {settings.url} does not begin with https:// or http://")
        self.date: str | None = None
        """The server's clock at its last answer, as the header says it."""
        self._key = settings.api_key
        self._made: urllib3.PoolManager | None = None

    def begin(self, header: Mapping[str, Any], *, is_retry: bool) -> Begun:
        """Begin a run, or go on with one.

        Args:
            header: body of the request, with or without ``writer``; one that is ``attached`` leaves the run as it is.
            is_retry: the same was asked before, perhaps with success.

        Raises:
            Refused, Unreachable: as all methods here.
        """
        body = {name: value for name, value in header.items() if name != "writer"}
        if is_recent(body.get("started_at")):
            body.pop("started_at", None)
        if is_retry and body.get("resume") == "never":
            body["resume"] = "allow"
        run = self._ask("POST", "/api/v1/runs", body)
        with self._understanding():
            return Begun(**{name: run[name] for name in Begun._fields})

    def stream(self, run: RunName | Begun, post: bytes) -> Ack:
        """Post what flows; the body is JSON."""
        return self._ack(self._ask("POST", f"{_path(run)}/stream", post))

    def offsets(self, run: RunName | Begun, writer: str) -> Ack:
        """Return what the server has of a writer."""
        return self._ack(self._ask("GET", f"{_path(run)}/stream?writer={urllib.parse.quote(writer)}"))

    def upload(self, run: RunName | Begun, files: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
        """Upload files by their names, at most ``UPLOADS_AT_ONCE``; yield each with why it can't be, or nothing."""
        sizes = {name: size for name, path in files.items() if (size := _size_of(path)) is not None}
        yield from ((name, f"{files[name]} can't be read") for name in files.keys() - sizes.keys())
        if not sizes:
            return
        answer = self._ask("POST", f"{_path(run)}/uploads", {"names": list(sizes)})
        with self._understanding():
            links = [(each["name"], each["url"], dict(each["headers"])) for each in answer["uploads"]]
        for name, url, headers in links:
            yield name, self._put(url, headers, files[name], sizes[name])

    def alert(self, run: RunName | Begun, alert: Mapping[str, Any]) -> bool:
        """Send an alert (``id``, ``title``, ``text``, ``level``, ``wait_s``) once; return whether anybody got it."""
        answer = self._ask("POST", f"{_path(run)}/alerts", dict(alert))
        with self._understanding():
            return bool(answer["sent"])

    def who(self) -> dict[str, Any]:
        """Return who the key belongs to."""
        return self.get("me/")

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return what any address below ``/api/v1/`` answers; values of the query may be lists."""
        asked = f"?{urllib.parse.urlencode(query, doseq=True)}" if query else ""
        return self._ask("GET", f"/api/v1/{path}{asked}")

    def close(self) -> None:
        """Leave the connection."""
        if self._made:
            self._made.clear()

    def _ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        import urllib3

        headers = urllib3.make_headers(
            basic_auth=f"api:{self._key}", user_agent=f"runyard-agent/{__version__}"
        )
        data = body if body is None or isinstance(body, bytes) else to_json(body)
        if data is not None:
            headers["Content-Type"] = "application/json"
            if len(data) > _GZIP_FROM_BYTES:
                data = gzip.compress(data, _GZIP_LEVEL)
                headers["Content-Encoding"] = "gzip"
        reply = self._request(method, self.url + path, data, headers)
        answer = _json(reply.data)
        if reply.status < 300 and answer is not None:
            return answer
        raise self._error(reply, answer)

    def _put(self, url: str, headers: Mapping[str, str], path: Path, size: int) -> str:
        """Send as many bytes as the file had; return why it can't be sent, if so."""
        how = {**headers, "Content-Length": str(size)}
        try:
            with path.open("rb") as file:
                reply = self._request("PUT", urllib.parse.urljoin(self.url, url), _Part(file, size), how)
        except OSError as error:
            return f"{path} can't be read: {error.strerror}"
        if reply.status < 300:
            return ""
        refusal = self._error(reply, _json(reply.data))
        if reply.status in _TRANSIENT:
            raise refusal
        return str(refusal)  # of a store of files, perhaps, that knows nothing of Runyard's envelope

    def _request(
        self, method: str, url: str, body: Any, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        import urllib3

        try:
            reply = self._pool().request(method, url, body=body, headers=dict(headers), redirect=False)
        except (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError) as error:
            raise Unreachable(f"{self.url} can't be reached: {_reason(error)}", maybe_done=False) from None
        except (urllib3.exceptions.HTTPError, ConnectionError) as error:
            raise Unreachable(f"{self.url} gave no answer: {_reason(error)}") from None
        self.date = reply.headers.get("Date")
        return reply

    def _error(self, reply: urllib3.BaseHTTPResponse, answer: dict[str, Any] | None) -> Refused | Unreachable:
        """Return what an answer means that is not what was asked for."""
        error = answer.get("error") if answer else None
        said = error if isinstance(error, dict) else {}
        message = str(said.get("message") or self._foreign(reply.status, reply.headers.get("Location")))
        if (
            reply.status in _TRANSIENT or not said
        ):  # without Runyard's envelope it is the word of a proxy between
            wait_s = _retry_after_s(reply.headers.get("Retry-After"), reply.headers.get("Date"))
            return Unreachable(message, wait_s, maybe_done=reply.status not in _NOTHING_STORED)
        return Refused(reply.status, str(said.get("code", "")), message, said.get("detail"))

    def _foreign(self, status: int, location: str | None = None) -> str:
        if location and 300 <= status < 400:  # not followed: the key is for the address that was set
            return f"{self.url} redirects to {location}: set url to that server's address"
        return f"{self.url} answered {status}, unlike a Runyard server"

    @contextlib.contextmanager
    def _understanding(self) -> Iterator[None]:
        """Take an answer of another shape for that of something else that listens there."""
        try:
            yield
        except (KeyError, TypeError, ValueError, AttributeError):
            raise Unreachable(self._foreign(200)) from None

    def _ack(self, answer: Mapping[str, Any]) -> Ack:
        with self._understanding():
            offsets = {str(name): int(number) for name, number in answer["offsets"].items()}
            return Ack(offsets, str(answer["state"]), bool(answer["stop_requested"]))

    def _pool(self) -> urllib3.PoolManager:
        if self._made is None:
            import urllib3

            how: dict[str, Any] = {
                "retries": False,
                "timeout": urllib3.Timeout(connect=_CONNECT_S, read=_ANSWER_S),
                "maxsize": 2,
            }
            proxy = proxy_of(self.url)
            self._made = _through(proxy, how) if proxy else urllib3.PoolManager(**how)
        return self._made


class _Part:
    """The first bytes of a file, for a body of known length."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._left = file, size

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(self._left if size < 0 else min(size, self._left))
        if self._left and not data:
            raise OSError("the file became shorter")
        self._left -= len(data)
        return data


def _size_of(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _path(run: RunName | Begun) -> str:
    entity, project, uid = run[:3]
    # a colon, which no id begins with: the HTTP library would resolve `..`
    parts = (entity, project, f":{uid}" if uid in {".", ".."} else uid)
    return "/api/v1/runs/" + "/".join(urllib.parse.quote(part, safe="") for part in parts)


def _json(data: bytes) -> dict[str, Any] | None:
    try:
        answer = json.loads(data)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def _reason(error: Exception) -> str:
    """Return the system's words out of urllib3's."""
    return str(error.__cause__ or error).rpartition("object at 0x")[2].rpartition(">: ")[2]


def _retry_after_s(given: str | None, date: str | None) -> float | None:
    """Return how long to wait: from seconds, or from a date by the clock of who gave it."""
    if not given:
        return None
    try:
        wait_s = float(given)
    except ValueError:
        try:
            now = email.utils.parsedate_to_datetime(date).timestamp() if date else time.time()
            wait_s = email.utils.parsedate_to_datetime(given).timestamp() - now
        except (ValueError, TypeError):
            return None
    return min(max(wait_s, 0.0), _LONGEST_WAIT_S)


def _through(proxy: str, how: Mapping[str, Any]) -> urllib3.ProxyManager:
    """Return connections through a proxy, with the name and password that its address may have."""
    import urllib3

    parts = urllib.parse.urlsplit(proxy)
    who = f"{urllib.parse.unquote(parts.username or '')}:{urllib.parse.unquote(parts.password or '')}"
    headers = urllib3.make_headers(proxy_basic_auth=who) if parts.username else {}
    return urllib3.ProxyManager(proxy, proxy_headers=headers, **how)


def proxy_of(url: str) -> str | None:
    """Return the proxy that the environment names for a URL."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    return None if not proxy or urllib.request.proxy_bypass(parts.hostname or "") else proxy
