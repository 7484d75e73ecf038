"""Faults on the wire, below what bodies contain: lengths, chunks, heads, slow clients, many connections."""

import asyncio
import contextlib
import json
import select
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from common.server.http_protocol import MAX_HEAD_BYTES
from tests.installation import Installation
from tests.sdk.people import Person, person
from tests.sdk.raw import Neighbour, connect, exchange, head, read_all, read_one, statuses
from tests.sdk.wire import CREATE_FILES, Run, history, row
from tests.waiting import PATIENCE_S, until
from wandb_api.tests.wire.hostile import VALUES

pytestmark = pytest.mark.usefixtures("neighbour")

BODY = json.dumps(history(0, row(0))).encode()
STREAMED = json.dumps({"writer": "0123456789abcdef", "history": {"offset": 0, "rows": [row(0)]}}).encode()
FILES = """
query Files($project: String!, $entity: String!, $run: String!) {
  project(name: $project, entityName: $entity) { run(name: $run) { files { edges { node { directUrl } } } } } }"""
ASKED = json.dumps({"query": "{ viewer { id } }"}).encode()


@pytest.fixture
def run(ada: Person) -> Run:
    return ada.wire.begin("faults")


def steps(ada: Person, run: Run) -> list[int]:
    return [line["_step"] for line in ada.wire.rows(run)]


def ticket(ada: Person, run: Run, name: str = "a.txt") -> str:
    """Return the path to PUT a file to."""
    made = ada.wire.data(CREATE_FILES, entity=run.entity, project=run.project, run=run.uid, files=[name])
    return str(made["createRunFiles"]["files"][0]["uploadUrl"]).partition("/storage/")[2]


@pytest.fixture(params=["file_stream", "stream", "graphql", "put"])
def target(request: pytest.FixtureRequest, ada: Person, run: Run) -> tuple[Callable[..., bytes], bytes]:
    """Give each endpoint that takes a body: a function from further header lines to its head, and a good body."""
    if request.param == "put":
        path = "/storage/" + ticket(ada, run)
        return lambda *lines: head(ada, path, *lines, method="PUT"), b"content"
    rest = f"/api/v1/runs/{run.entity}/{run.project}/{run.uid}/stream"
    path, body = {
        "file_stream": (run.stream, BODY), "stream": (rest, STREAMED), "graphql": ("/graphql", ASKED),
    }[request.param]  # fmt: skip
    return lambda *lines: head(ada, path, "Content-Type: application/json", *lines), body


Target = tuple[Callable[..., bytes], bytes]


# -- lengths and chunks --------------------------------------------------------------------------------------------


def test_a_good_request_by_hand_is_taken(server: Installation, target: Target) -> None:
    make, body = target
    assert statuses(exchange(server, make(f"Content-Length: {len(body)}"), body)) == [200]


def test_a_body_shorter_than_its_length_is_no_request(server: Installation, target: Target) -> None:
    make, body = target
    assert statuses(exchange(server, make(f"Content-Length: {len(body) + 9}"), body, cut=True)) == []


def test_a_post_cut_off_leaves_nothing(server: Installation, ada: Person, run: Run) -> None:
    exchange(server, head(ada, run.stream, f"Content-Length: {len(BODY)}"), BODY[:-5], cut=True)
    assert ada.wire.post(run, {}).status_code == 200
    assert steps(ada, run) == []


def test_what_follows_a_body_longer_than_its_length_is_400(server: Installation, target: Target) -> None:
    make, body = target
    request = make(f"Content-Length: {len(body)}").replace(b"Connection: close\r\n", b"")
    answered = statuses(exchange(server, request, body + b"garbage\r\n\r\n"))
    assert answered in ([200, 400], [400])


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: -1",),
        ("Content-Length: many",),
        ("Content-Length: 1e3",),
        ("Content-Length: 0x10",),
        ("Content-Length: 99999999999999999999999",),
        ("Content-Length: 5", "Content-Length: 6"),
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Transfer-Encoding: chunked, identity",),
    ],
    ids=" + ".join,
)
def test_a_length_that_is_none_is_400(server: Installation, target: Target, lines: tuple[str, ...]) -> None:
    make, body = target
    assert statuses(exchange(server, make(*lines), body)) == [400]


def test_no_length_is_no_body(server: Installation, target: Target) -> None:
    make, _ = target
    assert statuses(exchange(server, make()))[0] in {200, 400}


def chunked(body: bytes, size: int = 7) -> bytes:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def test_a_body_in_chunks_is_taken(server: Installation, target: Target) -> None:
    make, body = target
    assert statuses(exchange(server, make("Transfer-Encoding: chunked"), chunked(body))) == [200]


@pytest.mark.parametrize(
    ("broken", "answered"),  # none where it is only cut off
    [
        (b"zz\r\n{}\r\n0\r\n\r\n", [400]),
        (b"-2\r\n{}\r\n0\r\n\r\n", [400]),
        (b"ffffffffffffffffffff\r\n{}", [400]),
        (b"2\r\n{}and more\r\n0\r\n\r\n", [400]),
        (b"2\r\n{}\r\n", []),
        (b"ff\r\n{}", []),
    ],
)
def test_broken_chunks_leave_nothing(
    server: Installation, ada: Person, run: Run, broken: bytes, answered: list[int]
) -> None:
    request = head(ada, run.stream, "Transfer-Encoding: chunked")
    assert statuses(exchange(server, request, broken, cut=not answered)) == answered
    assert steps(ada, run) == []


def test_posts_in_a_pipeline_are_answered_in_order(server: Installation, ada: Person, run: Run) -> None:
    bodies = [json.dumps(history(number, row(number))).encode() for number in range(10)]
    whole = b"".join(
        head(ada, run.stream, f"Content-Length: {len(body)}", keep=True) + body for body in bodies
    )
    with connect(server) as link:
        link.sendall(whole)
        answer = b""
        while answer.count(b"HTTP/1.1 ") < len(bodies):
            answer += link.recv(65536)
    assert statuses(answer) == [200] * len(bodies)
    assert steps(ada, run) == list(range(len(bodies)))


def test_a_body_without_end_is_refused_while_it_comes(server: Installation, ada: Person) -> None:
    """Without an account too: Django alone writes all of it to the disk first."""
    request = head(ada, "/accounts/login/", "Transfer-Encoding: chunked", keep=True)
    chunk = b"%x\r\n%s\r\n" % (1 << 20, b"x" * (1 << 20))
    with connect(server) as link:
        link.sendall(request)
        for _ in range(100):
            link.sendall(chunk)
            if select.select([link], [], [], 0)[0]:
                break
        answer = read_one(link)
    assert statuses(answer) == [413]
    assert b"RUNYARD_BODY_MAX_MIB" in answer


# -- heads ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "answered"),
    [
        (b"GET / HTTP/9.9\r\n\r\n", [400]),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", [400]),
        (b"GARBAGE\r\n\r\n", [400]),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\xff\xfe: x\r\n\r\n", [400]),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \xff\xfe\r\n\r\n", [200]),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n", [400]),
        (b"GET /%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /%ED%A0%80/x HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /healthz?%ff=%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /healthz?\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
        (b"GET /accounts/login/ HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", [400]),
        (b"GET /healthz HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n", [200]),
        (b"GET /healthz HTTP/1.1\r\n\r\n", [200]),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /static/../../secret-key HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /static/%2e%2e/%2e%2e/secret-key HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /static/a%00b HTTP/1.1\r\nHost: localhost\r\n\r\n", [404]),
        (b"GET /storage/get/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", [403]),
        (b"POST /files/a/b%ff/c%00/file_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", [401]),
        (b"GET /ws/me HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", [400]),
    ],
)  # fmt: skip
def test_an_odd_head_is_answered(server: Installation, given: bytes, answered: list[int]) -> None:
    given = given.replace(b"HTTP/1.1\r\n", b"HTTP/1.1\r\nConnection: close\r\n", 1)
    assert statuses(exchange(server, given)) == answered


@pytest.mark.parametrize("path", ["%ff%fe", "a%00b", "%ED%A0%80", "..%2f..%2fetc", "x" * 5000])
def test_a_run_of_an_odd_name_is_404(server: Installation, ada: Person, path: str) -> None:
    for where in (f"/files/{path}/p/r/file_stream", f"/files/{ada.name}/p/{path}/file_stream"):
        assert statuses(exchange(server, head(ada, where, "Content-Length: 2"), b"{}")) == [404]


@pytest.mark.parametrize(
    "name", ["Authorization", "X-WANDB-ASYNC-CLIENT-ID", "Content-Encoding", "X-WANDB-USERNAME"]
)
def test_bytes_that_are_no_text_in_a_header_are_no_failure(
    server: Installation, ada: Person, run: Run, name: str
) -> None:
    for path, body in ((run.stream, BODY), ("/graphql", ASKED)):
        lines = (f"{name}: \xff\xfe\x80", f"Content-Length: {len(body)}")
        assert statuses(exchange(server, head(ada, path, *lines), body))[0] in {200, 401}


def test_a_head_without_end_is_431(server: Installation) -> None:
    line = b"X-Much: " + b"x" * 1000 + b"\r\n"
    answer = exchange(server, b"GET / HTTP/1.1\r\n", *[line] * 1000)
    assert statuses(answer) in ([431], [])  # reset before it could be read, since more had come
    assert f"{MAX_HEAD_BYTES} bytes".encode() in answer or answer == b""


# -- slow clients --------------------------------------------------------------------------------------------------


def drip(links: dict[str, socket.socket]) -> dict[str, bytes]:
    """Send a byte now and then on every connection until the server has ended all; return what each was told."""
    told: dict[str, bytes] = {}
    deadline = time.monotonic() + PATIENCE_S
    while len(told) < len(links):
        assert time.monotonic() < deadline, f"still open: {links.keys() - told.keys()}"
        for name, link in links.items():
            if name not in told and select.select([link], [], [], 0)[0]:
                told[name] = read_all(link)
            elif name not in told and name != "silent":
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    link.send(b"\n" if name == "empty lines" else b"x")
        time.sleep(0.1)
    return told


@pytest.fixture(scope="module")
def impatient() -> Iterator[tuple[Installation, Person]]:
    """Give an installation with little patience, and somebody on it."""
    with (
        tempfile.TemporaryDirectory(prefix="runyard-server-") as folder,
        Installation(Path(folder), RUNYARD_SLOW_CLIENT_S="2") as server,
        person(server, "slow-ada") as ada,
    ):
        yield server, ada


def test_a_slow_client_is_told_408_and_harms_nobody(impatient: tuple[Installation, Person]) -> None:
    """Two hundred at once, whose bytes come now and then; others post meanwhile."""
    server, ada = impatient
    with Neighbour(server, ada.key).posting() as neighbour, contextlib.ExitStack() as stack:
        run = ada.wire.begin("slow")
        begun = {
            "silent": b"",
            "empty lines": b"",
            "head": b"GET / HTTP/1.1\r\nX-Slow: ",
            "post": head(ada, run.stream, "Content-Length: 100000"),
            "chunk": head(ada, run.stream, "Transfer-Encoding: chunked") + b"fffff\r\n",
            "graphql": head(ada, "/graphql", "Content-Length: 100000"),
            "put": head(ada, "/storage/" + ticket(ada, run), "Content-Length: 100000", method="PUT"),
            "stranger": b"POST /files/a/b/c/file_stream HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
        }
        links = {name: [stack.enter_context(connect(server)) for _ in range(25)] for name in begun}
        for name, sent in begun.items():
            for link in links[name]:
                link.sendall(sent)
        told = drip({name: some[0] for name, some in links.items()})
        assert {name: statuses(answer) for name, answer in told.items()} == {
            name: [401] if name == "stranger" else [408] for name in begun
        }
        assert b"RUNYARD_SLOW_CLIENT_S" in told["post"]
        assert json.loads(told["put"].partition(b"\r\n\r\n")[2])["error"]["code"] == "request_timeout"
        assert neighbour.acknowledged > 0
        assert neighbour.refused == []
        assert steps(ada, run) == []
    assert "Traceback" not in server.log("web")


def test_an_answer_that_is_not_read_ends_and_one_that_is_read_slowly_does_not(
    impatient: tuple[Installation, Person],
) -> None:
    """A megabyte waits in the connection: nothing of it is read, or 128 KiB in each two seconds."""
    server, ada = impatient
    run = ada.wire.begin("unread")
    ada.wire.http.put(f"{server.url}/storage/{ticket(ada, run)}", content=b"x" * 8_000_000).raise_for_status()
    found = ada.wire.data(FILES, entity=run.entity, project=run.project, run=run.uid)
    (file,) = found["project"]["run"]["files"]["edges"]
    address = httpx.URL(file["node"]["directUrl"]).raw_path.decode()
    unread, slow = socket.socket(), socket.socket()
    with unread, slow:
        for link in (unread, slow):
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.connect(("127.0.0.1", server.port))
            link.sendall(f"GET {address} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        ends_at, got = time.monotonic() + 7, 0
        while time.monotonic() < ends_at:
            got += len(slow.recv(16384))
            time.sleep(0.1)
        assert got > 400_000
        slow.settimeout(PATIENCE_S)
        assert slow.recv(4096), "it is read on"
        unread.settimeout(PATIENCE_S)
        came = 0
        with contextlib.suppress(ConnectionResetError):
            while piece := unread.recv(1 << 20):
                came += len(piece)
        assert came < 8_000_000


def test_a_long_upload_and_a_kept_connection_are_not_slow(impatient: tuple[Installation, Person]) -> None:
    server, ada = impatient
    piece = b"x" * (256 << 10)
    with connect(server) as link:
        path = "/storage/" + ticket(ada, ada.wire.begin("long"))
        link.sendall(head(ada, path, f"Content-Length: {12 * len(piece)}", method="PUT", keep=True))
        for _ in range(12):
            link.sendall(piece)
            time.sleep(0.25)
        assert statuses(link.recv(65536)) == [200]
        time.sleep(2.5)
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert statuses(link.recv(65536)) == [200]


# -- many connections ----------------------------------------------------------------------------------------------

CONNECTIONS = 1000
RUNS = 10


async def post_on_all(server: Installation, ada: Person, runs: list[Run], neighbour: Neighbour) -> list[int]:
    """Open all connections, hold them idle while the neighbour posts, post on all at once; return the statuses."""
    links = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(CONNECTIONS)]
    before = neighbour.acknowledged
    await asyncio.to_thread(until, lambda: neighbour.acknowledged > before + 10, "ten posts")

    async def post(number: int) -> int:
        reader, writer = links[number]
        body = json.dumps(history(0, row(number))).encode()
        lines = (f"X-WANDB-ASYNC-CLIENT-ID: w{number}", f"Content-Length: {len(body)}")
        writer.write(head(ada, runs[number % RUNS].stream, *lines) + body)
        await writer.drain()
        return statuses(await reader.readuntil(b"\r\n\r\n"))[0]

    try:
        return await asyncio.gather(*(post(number) for number in range(CONNECTIONS)))
    finally:
        for _, writer in links:
            writer.close()


def test_a_thousand_connections_post_at_once(server: Installation, ada: Person, neighbour: Neighbour) -> None:
    """`Installation` has raised the soft limit on open files, its own and the server's, as `serve` does."""
    runs = [ada.wire.begin("thousand", f"thousand{number}") for number in range(RUNS)]
    answered = asyncio.run(post_on_all(server, ada, runs, neighbour))
    assert answered == [200] * CONNECTIONS
    for number, run in enumerate(runs):
        assert sorted(steps(ada, run)) == list(range(number, CONNECTIONS, RUNS))


def test_two_hundred_ask_at_once(server: Installation, ada: Person) -> None:
    """GraphQL takes a thread for each; none may wait for a database in vain."""

    async def ask() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(head(ada, "/graphql", f"Content-Length: {len(ASKED)}") + ASKED)
        answer = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return statuses(answer)[0]

    async def all_ask() -> list[int]:
        return await asyncio.gather(*(ask() for _ in range(200)))

    assert asyncio.run(all_ask()) == [200] * 200


def test_hostile_values_hold_up_no_one(ada: Person, run: Run) -> None:
    """What they are answered is tried in `wandb_api/tests/wire`; here another client posts at the same time."""
    for value in VALUES.values():
        lines = [f'{{"_step": 0, "a": {value}}}', value]
        body = {"files": {"wandb-history.jsonl": {"offset": 0, "content": lines}}}
        assert ada.wire.post(run, body).status_code == 200
        assert ada.wire.post(run, value.encode()).status_code in {200, 400}
