"""Servers of buckets: two of S3, one of Azure, one of Google, each in a process and an environment of its own.

SeaweedFS is strict: it checks signatures, digests and permissions. moto checks none of these, but tells what is
missing; so each is tried on what it can tell apart (`BucketServer.is_strict`).
"""

import itertools
import json
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import boto3
import httpx
from botocore.config import Config
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests import clients, environments
from tests.fakes.faulty import Faults, faulty
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

_HERE = Path(__file__).parent
REQUIREMENTS, AZURITE = _HERE / "requirements-buckets.txt", _HERE / "azurite"
ACCESS_KEY, SECRET_KEY = "AKIARUNYARDTESTS0001", "secret-of-the-tests"
LIMITED = {
    "s3:PutObject": ("AKIARUNYARDTESTS0002", ["Read", "List"]),
    "s3:GetObject": ("AKIARUNYARDTESTS0003", ["Write", "List"]),
    "s3:ListBucket": ("AKIARUNYARDTESTS0004", ["Read", "Write"]),
}
"""Access keys (all have the same secret) that lack one permission, and what SeaweedFS lets them do."""
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""Those that Azurite is made with, and its documentation names."""


@dataclass
class Bucket:
    """An empty one, as `storage.backends.settings.build_backend` takes it."""

    url: str
    credentials: dict[str, str]

    def below(self, prefix: str) -> "Bucket":
        """Return its part with a prefix."""
        address, _mark, options = self.url.partition("?")
        return Bucket(f"{address}/{prefix}?{options}", self.credentials)


@dataclass
class BucketServer:
    """One that is running; what goes through `faults` can be made to fail."""

    kind: str
    behind: str
    faults: Faults
    is_strict: bool = True
    """Whether it checks signatures of URLs, and digests."""
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @cached_property
    def shared_bucket(self) -> Bucket:
        """The one of all tests that take a prefix of their own in it."""
        return self.new_bucket()

    def new_bucket(self) -> Bucket:
        """Make one."""
        name = f"tests-{next(self.numbers)}-{os.getpid()}"
        return _MAKERS[self.kind](self, name)


def _make_s3(server: BucketServer, name: str) -> Bucket:
    client = boto3.session.Session().client(
        "s3", endpoint_url=server.behind, region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY, aws_secret_access_key=SECRET_KEY,
        config=Config(proxies={}, read_timeout=PATIENCE_S),
    )  # fmt: skip
    client.create_bucket(Bucket=name)
    client.put_object(
        Bucket=name, Key="first", Body=b""
    )  # SeaweedFS takes seconds for a bucket's first object
    options = urlencode({"endpoint": server.faults.url})
    return Bucket(f"s3://{name}?{options}", {"access_key": ACCESS_KEY, "secret_key": SECRET_KEY})


def _make_azure(server: BucketServer, name: str) -> Bucket:
    from azure.storage.blob import ContainerClient

    account = {"account_name": AZURE_ACCOUNT, "account_key": AZURE_KEY}
    with ContainerClient(f"{server.behind}/{AZURE_ACCOUNT}", name, credential=account) as client:
        client.create_container()
    options = urlencode({"endpoint": f"{server.faults.url}/{AZURE_ACCOUNT}"})
    return Bucket(f"az://{AZURE_ACCOUNT}/{name}?{options}", {"account_key": AZURE_KEY})


def _make_google(server: BucketServer, name: str) -> Bucket:
    answer = clients.request(
        "POST", f"{server.behind}/storage/v1/b", params={"project": "tests"}, json={"name": name}
    )
    answer.raise_for_status()
    options = urlencode({"endpoint": server.faults.url})
    return Bucket(f"gs://{name}?{options}", {"service_account": service_account()})


_MAKERS = {"moto": _make_s3, "seaweedfs": _make_s3, "azurite": _make_azure, "gcs": _make_google}


@cache
def service_account() -> str:
    """Return a key of a service account that nobody has, as Google gives them."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    account = {
        "type": "service_account", "client_email": "tests@tests.iam.gserviceaccount.com", "private_key": key.decode(),
        "token_uri": "http://127.0.0.1:9/nobody-asks-this",
    }  # fmt: skip
    return json.dumps(account)


@contextmanager
def bucket_server(kind: str) -> Iterator[BucketServer]:
    """Run ``moto``, ``seaweedfs``, ``azurite`` or ``gcs``."""
    with (
        tempfile.TemporaryDirectory(prefix="runyard-buckets-") as folder,
        _STARTERS[kind](Path(folder)) as url,
        faulty(url) as faults,
    ):
        yield BucketServer(kind, url, faults, is_strict=kind in {"seaweedfs", "azurite"})


def _python() -> Path:
    return environments.python_of("fakes", "buckets", REQUIREMENTS)


@contextmanager
def _process(command: Sequence[object], url: str) -> Iterator[str]:
    quiet = subprocess.DEVNULL
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUNYARD_")}
    environment["WEED_MASTER_VOLUME_GROWTH_COPY_1"] = "1"  # files for each new bucket, instead of 7
    process = subprocess.Popen(
        [str(part) for part in command],
        env=environment,
        stdin=quiet,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    )
    try:

        def has_answered() -> bool:
            assert process.poll() is None, f"{command[0]} has ended with {process.returncode}"
            try:
                return clients.request("GET", url).status_code < 500
            except httpx.HTTPError:
                return False

        until(has_answered, f"an answer of {command[0]}")
        yield url
    finally:
        # The whole group: `node` is a script that starts the real one. Nothing is kept, and SeaweedFS ends slowly.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=PATIENCE_S)


@contextmanager
def _moto(_folder: Path) -> Iterator[str]:
    port = free_port()
    with _process([_python(), "-m", "moto.server", "-p", str(port)], f"http://127.0.0.1:{port}") as url:
        yield url


@contextmanager
def _seaweedfs(folder: Path) -> Iterator[str]:
    ports = {name: free_port() for name in ("master", "volume", "filer", "s3")}
    options: dict[str, object] = {f"{name}.port": port for name, port in ports.items()}
    options |= {f"{name}.port.grpc": free_port() for name in ports}
    options |= {
        "s3.port.iceberg": 0, "s3.port.lance": 0, "dir": folder, "ip": "127.0.0.1", "ip.bind": "127.0.0.1",
        "s3.config": folder / "s3.json", "s3.localSocket": folder / "s3.sock",
        "filer.localSocket": folder / "filer.sock",
        "volume.max": 200, "master.volumeSizeLimitMB": 64, "master.telemetry": "false",
    }  # fmt: skip
    everything = ["Admin", "Read", "Write", "List", "Tagging"]
    keys: list[tuple[str, list[str]]] = [(ACCESS_KEY, everything), *LIMITED.values()]
    identities: list[dict[str, Any]] = [
        {"name": key, "credentials": [{"accessKey": key, "secretKey": SECRET_KEY}], "actions": actions}
        for key, actions in keys
    ]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    command = [
        _python().parent / "weed",
        "server",
        "-s3",
        *(f"-{name}={value}" for name, value in options.items()),
    ]
    with _process(command, f"http://127.0.0.1:{ports['s3']}") as url:
        yield url


@contextmanager
def _azurite(folder: Path) -> Iterator[str]:
    port = free_port()
    script = environments.npm_folder("azurite", AZURITE) / "node_modules/azurite/dist/src/blob/main.js"
    command = [
        environments.NODE, script, "--blobHost", "127.0.0.1", "--blobPort", str(port), "--location", folder,
        "--silent", "--disableTelemetry", "--skipApiVersionCheck",
    ]  # fmt: skip
    with _process(command, f"http://127.0.0.1:{port}") as url:
        yield url


@contextmanager
def _gcs(_folder: Path) -> Iterator[str]:
    port = free_port()
    command = [
        _python(),
        "-m",
        "gcp_storage_emulator",
        "start",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--in-memory",
    ]
    with _process(command, f"http://127.0.0.1:{port}") as url:
        yield url


_STARTERS = {"moto": _moto, "seaweedfs": _seaweedfs, "azurite": _azurite, "gcs": _gcs}
