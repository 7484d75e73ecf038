"""Two ClickHouse servers, each a shard of one cluster; they can be killed, and come back with what they have stored."""

import contextlib
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests import clients, environments
from tests.ports import free_port
from tests.waiting import until

_HERE = Path(__file__).parent
CLUSTER = "metrics"


def _library() -> Path:
    folder = environments.npm_folder("clickhouse", _HERE / "clickhouse_library")
    return folder / "node_modules/@chdb/lib-linux-x64-gnu/libchdb.so"


@dataclass
class ClickHouseServer:
    """One, of which nobody knows before `start`."""

    folder: Path
    http_port: int = field(default_factory=free_port)
    tcp_port: int = field(default_factory=free_port)
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.http_port}"

    def start(self, cluster: Path) -> None:
        """Start, and wait until it answers."""
        arguments = {
            "path": self.folder, "listen_host": "127.0.0.1", "http_port": self.http_port,
            "tcp_port": self.tcp_port, "config-file": cluster,
        }  # fmt: skip
        command = [sys.executable, str(_HERE / "clickhouse_process.py"), str(_library())]
        for name, value in arguments.items():
            command += [f"--{name}", str(value)]
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        until(self.answers, "ClickHouse to answer")

    @property
    def is_running(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.poll() is None

    def answers(self) -> bool:
        """Whether it does."""
        with contextlib.suppress(httpx.TransportError):
            return self.ask("SELECT 1") == "1\n"
        return False

    def ask(self, statement: str) -> str:
        """Return what it answers to a statement."""
        answer = clients.request("POST", f"{self.url}/", content=statement.encode())
        answer.raise_for_status()
        return answer.text

    def kill(self) -> None:
        """End it at once, if it runs."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None


@dataclass
class Shards:
    """The servers of a cluster."""

    servers: Sequence[ClickHouseServer]
    cluster: Path

    def url(self, database: str) -> str:
        """Return it as RUNYARD_CLICKHOUSE_URL."""
        hosts = ",".join(f"127.0.0.1:{server.http_port}" for server in self.servers)
        return f"http://{hosts}/{database}"

    def environment(self, database: str) -> dict[str, str]:
        """Return the settings of an installation whose packed metrics lie here."""
        return {
            "RUNYARD_SEGMENTS": "clickhouse",
            "RUNYARD_CLICKHOUSE_URL": self.url(database),
            "RUNYARD_CLICKHOUSE_CLUSTER": CLUSTER,
        }

    def start(self) -> None:
        """Start the servers that were killed.

        Perhaps more than the test has killed: this library now and then aborts where the other server is killed in the
        middle of a question to both.
        """
        for server in self.servers:
            if not server.is_running:
                server.start(self.cluster)


@contextlib.contextmanager
def shards(count: int = 2) -> Iterator[Shards]:
    """Run a cluster of so many shards without replicas."""
    folder = Path(tempfile.mkdtemp(prefix="runyard-clickhouse-"))
    servers = [ClickHouseServer(folder / str(number)) for number in range(count)]
    found = "".join(
        f"<shard><replica><host>127.0.0.1</host><port>{server.tcp_port}</port></replica></shard>"
        for server in servers
    )
    config = folder / "cluster.xml"
    config.write_text(
        f"<clickhouse><remote_servers><{CLUSTER}>{found}</{CLUSTER}></remote_servers></clickhouse>"
    )
    cluster = Shards(servers, config)
    try:
        for server in servers:
            server.folder.mkdir()
            server.start(config)
        yield cluster
    finally:
        for server in servers:
            server.kill()
        shutil.rmtree(folder)
