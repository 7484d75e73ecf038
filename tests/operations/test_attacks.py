"""Attacks on the server's memory, processor and threads: its process stays small, and people can sign in meanwhile.

Each test does what an attacker would do, with what any account, or no account, may send. The limit of time is a
multiple of what signing in takes without an attack: machines differ.
"""

import json
import socket
import struct
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests import clients, sdks
from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.sdk.people import VERSION, Person, person, signed_in
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.sdk

MOST_BYTES = 600 * 1000 * 1000
SETTLED_S = 2
"""Since the attack began: nothing answers at once while it does."""
PASSWORD = "kiln-and-wheel-1"
LOGS = """
import wandb

wandb.Table.MAX_ROWS = 100_000
with wandb.init(entity="attacked", project="open", id="victim") as run:
    artifact = wandb.Artifact("files", "dataset")
    artifact.add_dir("sent", skip_cache=True)
    run.log_artifact(artifact).wait()
    numbers = range(100_000)
    run.log({"table": wandb.Table(["n", "text"], [[number % 997, f"text {number}"] for number in numbers])})
    for step in range(12_000):
        run.log({f"metric-{number}": step * number for number in range(30)})
"""


@pytest.fixture(scope="module")
def bucket(bucket_servers: Callable[[str], BucketServer]) -> BucketServer:
    return bucket_servers("moto")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    home = tmp_path_factory.mktemp("attacked")
    with Installation(
        home, RUNYARD_ALLOWED_NETWORKS="127.0.0.0/8", RUNYARD_PROCESSOR_RATE="15", RUNYARD_SLOW_CLIENT_S="600"
    ) as installation:
        yield installation


@pytest.fixture(scope="module")
def mallory(server: Installation) -> Iterator[Person]:
    """Give someone with an account and a team, like anyone can have."""
    with person(server, "mallory", "--password", PASSWORD) as made:
        server.manage("create_organization", "attackers", "--admin", made.name)
        server.manage("create_team", "attacked", "--organization", "attackers", "--admin", made.name)
        yield made


@pytest.fixture(scope="module")
def files(server: Installation, mallory: Person, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Log hostile files, and a long history, to a public project; return the address of the files' page."""
    folder = tmp_path_factory.mktemp("hostile")
    sent = folder / "sent"
    sent.mkdir()
    (sent / "bomb.parquet").write_bytes(parquet_bomb(folder))
    (sent / "lists.safetensors").write_bytes(weights_of_lists())
    (sent / "pairs.csv").write_text("a,b\n" + "1,2\n" * 90_000)
    process = sdks.start_script(sdks.python_of(VERSION), LOGS, env=mallory.env, cwd=folder)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, out
    (project,) = rest(server, mallory, "GET", "projects/?entity=attacked").json()["results"]
    answer = rest(server, mallory, "PATCH", f"projects/{project['id']}/", {"visibility": "public"})
    assert answer.status_code == 200, answer.text
    return f"{server.url}/attacked/open/artifacts/dataset/files/v0/files"


def rest(server: Installation, whom: Person, method: str, path: str, body: Any = None) -> httpx.Response:
    return clients.request(method, f"{server.url}/api/v1/{path}", auth=("api", whom.key), json=body)


def parquet_bomb(folder: Path) -> bytes:
    """Return a file of some kilobytes whose one value has 900 MB, and whose footer says that it has 100 bytes."""
    path = folder / "bomb.parquet"
    size = 900_000_000
    table = pa.table({"x": pa.array([b"\0" * size], pa.large_binary())})
    pq.write_table(table, path, compression="zstd", use_dictionary=False, write_statistics=False)
    del table
    content = path.read_bytes()
    footer_bytes = struct.unpack("<I", content[-8:-4])[0]
    footer = content[-8 - footer_bytes : -8]
    column = pq.ParquetFile(path).metadata.row_group(0)
    for claimed in {column.total_byte_size, column.column(0).total_uncompressed_size}:
        footer = footer.replace(varint(claimed), padded_varint(100, len(varint(claimed))))
    path.write_bytes(content[: -8 - footer_bytes] + footer + content[-8:])
    assert pq.ParquetFile(path).metadata.row_group(0).total_byte_size == 100
    return path.read_bytes()


def varint(number: int) -> bytes:
    """Write a number as Thrift's compact protocol does."""
    left, found = number * 2, bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    return bytes([*found, left])


def padded_varint(number: int, length: int) -> bytes:
    """The same in more bytes than it needs, which readers take."""
    found = bytearray(varint(number))
    found[-1] |= 128
    return bytes(found) + b"\x80" * (length - len(found) - 1) + b"\0"


def weights_of_lists() -> bytes:
    header = b'{"a":[' + b"[]," * 2_500_000 + b"[]]}"
    return len(header).to_bytes(8, "little") + header


def sign_in_s(server: Installation) -> float:
    began = time.monotonic()
    with signed_in(server, "mallory", PASSWORD):
        return time.monotonic() - began


@pytest.fixture(scope="module")
def usual_s(server: Installation, files: str) -> float:
    sign_in_s(server)
    return min(sign_in_s(server) for _ in range(2))


@pytest.fixture
def unharmed(server: Installation, usual_s: float) -> Iterator[Callable[[], None]]:
    """Look, whenever it is called, that people can sign in; at the end, that the process was never large."""
    Path(f"/proc/{server.pid('web')}/clear_refs").write_text("5")  # the peak begins anew

    def look() -> None:
        time.sleep(SETTLED_S)
        assert sign_in_s(server) < 2 + 10 * usual_s
        status, _body = server.get("/healthz")
        assert status == 200

    yield look
    look()
    lines = Path(f"/proc/{server.pid('web')}/status").read_text().splitlines()
    peak = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
    assert peak < MOST_BYTES


@contextmanager
def at_once(count: int, attack: Callable[[], Any]) -> Iterator[list[Any]]:
    """Attack so many times at once; gives what comes of it, once the block has ended."""
    outcomes: list[Any] = []
    with ThreadPoolExecutor(count) as pool:
        attacks = [pool.submit(attack) for _ in range(count)]
        yield outcomes
        outcomes += [each.result() for each in attacks]


def test_what_a_file_decodes_to(server: Installation, files: str, unharmed: Callable[[], None]) -> None:
    """Neither the header of a file nor its size says what it takes in memory."""
    with signed_in(server, "mallory", PASSWORD) as browser:
        page = browser.get(f"{files}?preview=bomb.parquet", timeout=PATIENCE_S)
        assert "more than 512 MiB of memory" in page.text
        with at_once(
            8, lambda: browser.get(f"{files}?preview=lists.safetensors", timeout=PATIENCE_S)
        ) as pages:
            unharmed()
    assert {page.status_code for page in pages} == {200}


def test_json_of_strangers_and_of_accounts(
    server: Installation, mallory: Person, unharmed: Callable[[], None]
) -> None:
    bomb = b'{"x":[' + b"{}," * 10_000_000 + b"{}]}"
    headers = {"Content-Type": "application/json"}

    def stranger(size: int) -> int:
        body = bomb[: size - 4] + b"{}]}"
        return clients.request(
            "POST", f"{server.url}/api/v1/runs/", content=body, headers=headers
        ).status_code

    with at_once(5, lambda: stranger(len(bomb))) as refused:
        unharmed()
    assert set(refused) == {413}
    assert stranger(900_000) == 401
    body = b'{"query":"query($v: JSON) { viewer { id } }","variables":' + bomb + b"}"
    answer = clients.request(
        "POST", f"{server.url}/graphql", content=body, headers=headers, auth=("api", mallory.key)
    )
    assert answer.status_code == 413
    assert "RUNYARD_DECODED_MAX_MIB" in answer.text
    answer = clients.request(
        "POST",
        f"{server.url}/api/v1/runs/act/",
        content=bomb[:2_000_000],
        headers=headers,
        auth=("api", mallory.key),
    )
    assert answer.status_code == 413
    assert "RUNYARD_REST_MAX_MIB" in answer.text


def unread(url: str, browser: httpx.Client | None = None) -> socket.socket:
    """Ask for an answer, as a browser if one is given, and read nothing of it."""
    parts = httpx.URL(url)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.cookies.jar) if browser else ""
    connection = socket.socket()
    connection.settimeout(PATIENCE_S)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((parts.host, parts.port))
    head = [f"GET {parts.raw_path.decode()} HTTP/1.1", f"Host: {parts.netloc.decode()}", f"Cookie: {cookies}"]
    connection.sendall("\r\n".join([*head, "", ""]).encode())
    return connection


@pytest.mark.parametrize("path", ["/attacked/open/runs/victim/export/history.csv", "rest"])
def test_answers_that_no_one_reads(
    server: Installation, mallory: Person, files: str, unharmed: Callable[[], None], path: str
) -> None:
    if path == "rest":
        (run,) = rest(server, mallory, "GET", "runs/?entity=attacked&project=open").json()["results"]
        path = f"/api/v1/runs/{run['id']}/history/"
    with ExitStack() as stack:
        connections = [stack.enter_context(unread(server.url + path)) for _ in range(90)]
        heads = [connection.recv(12) for connection in connections]
        assert heads.count(b"HTTP/1.1 200") == 6
        assert heads.count(b"HTTP/1.1 429") == 84
        unharmed()


def processor_s(server: Installation) -> float:
    """Return what the web process and its children use of a processor in a second."""

    def used() -> float:
        times = psutil.Process(server.pid("web")).cpu_times()
        children = psutil.Process(server.pid("web")).children()
        return float(times.user + times.children_user) + sum(map(own, children))

    def own(child: psutil.Process) -> float:
        try:
            return float(child.cpu_times().user)
        except psutil.NoSuchProcess:
            return 0.0

    before = used()
    time.sleep(1)
    return used() - before


def test_computing_goes_on_for_no_one(server: Installation, files: str, unharmed: Callable[[], None]) -> None:
    """Joins, sorting and patterns: few at once, a share of the minute, nothing for who has left; strangers, too."""
    with person(server, "judy", "--password", PASSWORD):
        server.manage("add_member", "attacked", "judy", "--role", "member")
    with signed_in(server, "judy", PASSWORD) as browser:
        join = f"{files}?preview=pairs.csv&join=pairs.csv&left=a&right=a"
        assert "Only the first 10,000,000 rows" in browser.get(f"{join}&offset=8000000000").text
        assert "more than 1,000,000 pairs of rows" in browser.get(f"{join}&offset=8000000").text
    table = httpx.URL(f"{server.url}/attacked/open/runs/victim/media/table").copy_merge_params(
        {"key": "table", "sort": "n", "where": json.dumps([["text", "matches", ".*9$"]])}
    )

    def leave() -> None:
        with unread(str(table)):
            time.sleep(1)

    with at_once(12, leave):
        unharmed()
    until(lambda: processor_s(server) < 0.5, "what was begun to end")
    refused: list[httpx.Response] = []
    for _ in range(30):
        with at_once(6, lambda: clients.request("GET", str(table))) as answers:
            pass
        refused += [answer for answer in answers if answer.status_code == 429]
        if refused:
            break
    assert "RUNYARD_PROCESSOR_RATE" in refused[0].text


def test_a_teams_bucket_that_never_answers(
    server: Installation, bucket: BucketServer, unharmed: Callable[[], None], tmp_path: Path
) -> None:
    place = bucket.new_bucket()
    with person(server, "eve", "--password", PASSWORD) as eve:
        server.manage("create_organization", "drippers", "--admin", eve.name)
        server.manage("create_team", "drips", "--organization", "drippers", "--admin", eve.name)
        body = {"url": place.url, "credentials": place.credentials}
        answer = rest(server, eve, "PUT", "teams/drips/storage/", body)
        assert answer.status_code == 200, answer.text
        (tmp_path / "sent").mkdir()
        (tmp_path / "sent" / "long.csv").write_text("n\n" + "123456\n" * 400_000)
        script = LOGS.replace("attacked", "drips").replace("12_000", "1")
        process = sdks.start_script(sdks.python_of(VERSION), script, env=eve.env, cwd=tmp_path)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, out
        bucket.faults.is_silent = True
        page = f"{server.url}/drips/open/artifacts/dataset/files/v0/files?preview=long.csv"
        try:
            with signed_in(server, "eve", PASSWORD) as browser, ExitStack() as stack:
                for _ in range(70):
                    stack.enter_context(unread(page, browser))
                unharmed()
        finally:
            bucket.faults.mend()
