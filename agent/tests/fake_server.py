"""A server for the agent's tests: the wire of docs/use/rest.md over real HTTP, in memory, with faults to switch on."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.server
import json
import random
import socket
import threading
import time
from collections import deque
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

KEY = "ry-key"
STREAMS = {"history": "rows", "system": "rows", "log": "lines"}


class Fault(NamedTuple):
    """What goes wrong with one request."""

    status: int = 0
    """Answers so, and stores nothing."""
    retry_after: str = ""
    date: str = ""
    stores: bool = True
    """Without a status: whether the request is carried out before its answer is lost."""
    answers: bool = False
    """Carried out and answered; what follows here happens besides."""
    cut: str = ""
    """``request``: the connection ends in the middle of the request; ``answer``: of the answer."""
    slow_s: float = 0.0
    twice: bool = False
    """It arrives twice; the second answer is the one that comes back."""
    old: bool = False
    """After it, an old post arrives again."""


UNAVAILABLE = Fault(status=503)
LOST_ANSWER = Fault()
LOST_REQUEST = Fault(stores=False)
CUT_REQUEST = Fault(cut="request")
CUT_ANSWER = Fault(cut="answer", answers=True)
TWICE = Fault(twice=True, answers=True)
OLD_AGAIN = Fault(old=True, answers=True)
ANY = (
    UNAVAILABLE, Fault(status=500), Fault(status=429, retry_after="0"), LOST_ANSWER, LOST_REQUEST, CUT_REQUEST,
    CUT_ANSWER, TWICE, OLD_AGAIN, Fault(slow_s=0.02, answers=True),
)  # fmt: skip


class Answer(NamedTuple):
    status: int
    body: dict[str, Any]


class Run:
    """What the server holds of a run."""

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header
        self.config: dict[str, Any] = header.get("config") or {}
        self.summary: dict[str, Any] = {}
        self.state, self.started_at = "running", "2026-11-22T10:00:00Z"
        self.exit_code: int | None = None
        self.preempting = self.stop_requested = self.is_deleted = False
        self.rows: dict[tuple[str, str], dict[int, Any]] = {}
        """By stream and writer: records by number."""
        self.next: dict[tuple[str, str], int] = {}
        self.gaps: list[tuple[str, int, int]] = []
        """Stream, first and last number + 1 of what the client said is lost."""
        self.alerts: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.signs_of_life = 0

    def records(self, stream: str) -> list[Any]:
        """Return what all writers sent, in order."""
        return [
            each
            for (name, _), rows in sorted(self.rows.items())
            if name == stream
            for _, each in sorted(rows.items())
        ]

    def offsets(self, writer: str) -> dict[str, int]:
        return {name: self.next.get((name, writer), 0) for name in STREAMS}

    def ack(self, writer: str) -> Answer:
        told = {"offsets": self.offsets(writer), "state": self.state, "stop_requested": self.stop_requested}
        return Answer(200, told)

    def take(self, post: dict[str, Any]) -> Answer:
        """Store a post, or nothing of it."""
        writer = post["writer"]
        parts = {name: post[name] for name in STREAMS if name in post}
        expected = self.offsets(writer)
        if any(
            part["offset"] > expected[name] and not part.get("lost_before") for name, part in parts.items()
        ):
            return error(409, "gap", "There are records missing before these.", {"expected": expected})
        for name, part in parts.items():
            self._store(name, writer, part)
        self.config = post.get("config", self.config)
        self.summary = post.get("summary", self.summary)
        self.preempting |= post.get("preempting", False)
        if "finish" in post:
            self.exit_code = post["finish"]["exit_code"]
            self.state = "failed" if self.exit_code else "finished"
        self.signs_of_life += not post.get("attached", False)
        return self.ack(writer)

    def _store(self, name: str, writer: str, part: dict[str, Any]) -> None:
        rows, expected = self.rows.setdefault((name, writer), {}), self.next.get((name, writer), 0)
        if part["offset"] > expected:
            self.gaps.append((name, expected, part["offset"]))
        for number, row in enumerate(part[STREAMS[name]], part["offset"]):
            if number >= expected:
                rows[number] = row
        end = part["offset"] + len(part[STREAMS[name]])
        self.next[name, writer] = max(expected, end)


def error(status: int, code: str, message: str, detail: Any = None) -> Answer:
    return Answer(status, {"error": {"code": code, "message": message, "detail": detail}})


class FakeServer:
    """Runs in a thread. ``faults`` are used up by requests, one each; ``chance`` makes random ones of ``ANY``."""

    def __init__(self) -> None:
        self.runs: dict[str, Run] = {}
        """By path."""
        self.requests: list[tuple[str, str, dict[str, str], Any]] = []
        """Method, path, headers and body of all that came, refused or not."""
        self.faults: deque[Fault] = deque()
        self.chance = 0.0
        self.random = random.Random(0)
        self.max_bytes = 32 * 2**20
        self.deleted: set[str] = set()
        self.refuses: Answer | None = None
        """Every request is answered so."""
        self.lock = threading.Lock()
        self._old: list[tuple[str, dict[str, Any]]] = []
        self._server: http.server.ThreadingHTTPServer | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listen, on the same port as before."""
        handler = type("Handler", (_Handler,), {"fake": self})
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        server.daemon_threads = True
        server.block_on_close = False
        self._server, self._port = server, server.server_port
        self.links: set[socket.socket] = set()
        self._thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        """Refuse connections and cut those there are; what is stored stays."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()
            self._server = None
            for link in list(self.links):
                with contextlib.suppress(OSError):
                    link.shutdown(socket.SHUT_RDWR)

    def run(self, uid: str, entity: str = "ada", project: str = "p") -> Run:
        """Return a run by its id."""
        return self.runs[f"{entity}/{project}/{uid}"]

    def posts(self) -> list[dict[str, Any]]:
        """Return the bodies of all posts of a stream that came."""
        return [
            body for method, path, _, body in self.requests if method == "POST" and path.endswith("/stream")
        ]

    def next_fault(self) -> Fault:
        with self.lock:
            if self.faults:
                return self.faults.popleft()
            if self.random.random() < self.chance:
                return self.random.choice(ANY)
        return Fault(answers=True)

    def answer(self, method: str, path: str, body: Any) -> Answer:
        """Carry a request out."""
        with self.lock:
            if self.refuses:
                return self.refuses
            parts = [unquote(part) for part in urlsplit(path).path.strip("/").split("/")]
            if parts[:1] == ["upload"]:
                return self._keep_file(parts[1:], body)
            if parts == ["api", "v1", "me"]:
                return Answer(200, {"username": "ada", "entity": "ada"})
            if parts == ["api", "v1", "runs"]:
                return self._begin(body) if method == "POST" else self._list(parse_qs(urlsplit(path).query))
            return self._of_run("/".join(parts[3:6]), parts[6], method, path, body)

    def _begin(self, body: dict[str, Any]) -> Answer:
        entity = body["entity"] or "ada"
        path = f"{entity}/{body['project']}/{body['uid']}"
        if path in self.deleted:
            return error(410, "gone", "The run was deleted.")
        is_new = path not in self.runs
        if is_new and (body["resume"] == "must" or body.get("attached")):
            return error(404, "not_found", "There is no such run.")
        if not is_new and body["resume"] == "never":
            return error(409, "conflict", "There is a run of this id.")
        run = self.runs.setdefault(path, Run(body))
        if not body.get("attached"):
            run.state = "running"
        steps = [row["_step"] for row in run.records("history") if "_step" in row]
        told = {
            "entity": entity,
            "project": body["project"],
            "uid": body["uid"],
            "display_name": body.get("display_name") or body["uid"],
            "url": f"{self.url}/{path}",
            "inserted": is_new,
            "next_step": max(steps, default=-1) + 1,
            "state": run.state,
        }
        return Answer(201 if is_new else 200, told)

    def _list(self, query: dict[str, list[str]]) -> Answer:
        names = {name: query[name][0] for name in ("entity", "project", "uid")}
        run = self.runs.get("/".join(names.values()))
        if run is None:
            return Answer(200, {"results": []})
        told = {"started_at": run.started_at, "host": run.header.get("host", ""), "state": run.state}
        return Answer(200, {"results": [{**names, **told}]})

    def _of_run(self, path: str, what: str, method: str, url: str, body: Any) -> Answer:
        if path in self.deleted:
            return error(410, "gone", "The run was deleted.")
        run = self.runs.get(path)
        if run is None:
            return error(404, "not_found", "There is no such run.")
        if what == "stream" and method == "GET":
            return run.ack(parse_qs(urlsplit(url).query)["writer"][0])
        if what == "stream":
            self._old.append((path, body))
            return run.take(body)
        if what == "alerts":
            run.alerts.setdefault(body["id"], body)
            return Answer(200, {"sent": True})
        names = [(name, f"{self.url}/upload/{path}/{name}") for name in body["names"]]
        links = [{"name": name, "url": link, "headers": {"X-Ticket": "t"}} for name, link in names]
        return Answer(200, {"uploads": links})

    def _keep_file(self, parts: list[str], body: bytes) -> Answer:
        self.runs["/".join(parts[:3])].files["/".join(parts[3:])] = body
        return Answer(200, {})

    def repeat_an_old_post(self) -> None:
        """Let a post that was delivered before arrive once more."""
        with self.lock:
            if self._old:
                path, body = self.random.choice(self._old)
                rows = {name: body[name] for name in ("writer", *STREAMS) if name in body}
                self.runs[path].take(rows)


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    fake: FakeServer

    def setup(self) -> None:
        super().setup()
        self.fake.links.add(self.connection)

    def finish(self) -> None:
        self.fake.links.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # clients are killed
            super().handle()

    def _serve(self) -> None:
        fault = self.fake.next_fault()
        size = int(self.headers.get("Content-Length") or 0)
        if fault.cut == "request":
            self.rfile.read(size // 2)
            self._cut()
            return
        raw = self.rfile.read(size)
        if len(raw) < size:  # the client went away
            self._cut()
            return
        self._carry_out(fault, raw)

    def _carry_out(self, fault: Fault, raw: bytes) -> None:
        time.sleep(fault.slow_s)
        is_file = self.path.startswith("/upload/")
        plain = gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw
        body = plain if is_file else json.loads(plain or b"null")
        self.fake.requests.append((self.command, self.path, dict(self.headers.items()), body))
        if fault.status:
            self._answer(error(fault.status, "failing", "It fails."), fault)
            return
        if fault.stores:
            answer = self._checked(len(plain), body, is_file=is_file)
            if fault.twice:
                answer = self._checked(len(plain), body, is_file=is_file)
            if fault.old:
                self.fake.repeat_an_old_post()
            if fault.answers:
                self._answer(answer, fault)
                return
        self._cut()

    def _checked(self, size: int, body: Any, *, is_file: bool) -> Answer:
        expected = "Basic " + base64.b64encode(f"api:{KEY}".encode()).decode()
        if is_file:
            if self.headers.get("Authorization") or self.headers.get("X-Ticket") != "t":
                return error(403, "forbidden", "Files come by their link, without the key.")
        elif self.headers.get("Authorization") != expected:
            return error(401, "unauthenticated", "The key is not known.")
        if size > self.fake.max_bytes and not is_file:
            return error(413, "too_large", f"A post may have {self.fake.max_bytes} bytes.")
        return self.fake.answer(self.command, self.path, body)

    def _answer(self, answer: Answer, fault: Fault) -> None:
        data = json.dumps(answer.body).encode()
        with contextlib.suppress(OSError):
            self.send_response_only(answer.status)
            if fault.date:
                self.send_header("Date", fault.date)
            if fault.retry_after:
                self.send_header("Retry-After", fault.retry_after)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if fault.cut == "answer" else data)
        if fault.cut == "answer":
            self._cut()

    def _cut(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_POST = do_PUT = _serve

    def log_message(self, *_: Any) -> None:
        pass
