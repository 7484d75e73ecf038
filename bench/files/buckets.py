"""Files in a bucket beside files in the data folder: what goes past the server, and what that costs it."""

import os
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3
from botocore.config import Config

from bench.files.sending import Upload, get_all, path_of, port_of, put_all, seconds, uploads_of
from bench.peers.meter import Meter
from tests.fakes.buckets import BucketServer, bucket_server
from tests.installation import Installation
from tests.sdk.drafts import begin, md5, of, urls
from tests.sdk.people import Person, person

MIB = 1024 * 1024
_EXPIRES_S = 3600


@dataclass(frozen=True)
class _Place:
    """A server of ours, and somebody who has a key of it."""

    name: str
    server: Installation
    who: Person


@dataclass
class _Row:
    """What one way of one size took: seconds of each round, and CPU seconds of the server."""

    times: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)

    def note(self, place: str, took_s: float, cpu_s: float) -> None:
        self.times.setdefault(place, []).append(took_s)
        self.cpu.setdefault(place, []).append(cpu_s)


def compare(home: Path, *, large_mib: int, small_files: int, small_bytes: int, rounds: int) -> None:
    """Print how fast files go and come, and what the server does meanwhile."""
    with (
        tempfile.TemporaryDirectory(dir=home) as local_home,
        tempfile.TemporaryDirectory(dir=home) as remote_home,
        bucket_server("seaweedfs") as bucket,
        Installation(Path(local_home)) as local,
        Installation(Path(remote_home), **_variables(bucket)) as remote,
        person(local, "bench-folder") as ada,
        person(remote, "bench-bucket") as bea,
    ):
        print(f"\nIn a bucket of SeaweedFS, beside the data folder; load {os.getloadavg()[0]:.1f}\n")
        print(
            "| | bucket alone | Runyard, folder | Runyard, bucket | of the bucket alone | server’s CPU, s, folder |"
            " bucket |\n|---|--:|--:|--:|--:|--:|--:|"
        )
        places = [_Place("folder", local, ada), _Place("bucket", remote, bea)]
        bodies = [os.urandom(MIB) * large_mib]
        _print(f"one file of {large_mib} MiB, MiB/s", large_mib, _measure(bucket, places, bodies, rounds))
        bodies = [os.urandom(small_bytes) for _ in range(small_files)]
        title = f"{small_files:,} files of {small_bytes:,} bytes, files/s"
        _print(title, small_files, _measure(bucket, places, bodies, 1))


def _variables(bucket: BucketServer) -> dict[str, Any]:
    place = bucket.new_bucket()
    return {
        "RUNYARD_STORAGE_URL": place.url.replace(_quoted(bucket.faults.url), _quoted(bucket.behind)),
        "RUNYARD_STORAGE_KEY": place.credentials["access_key"],
        "RUNYARD_STORAGE_SECRET": place.credentials["secret_key"],
    }


def _quoted(url: str) -> str:
    return url.replace(":", "%3A").replace("/", "%2F")


def _measure(
    bucket: BucketServer, places: Sequence[_Place], bodies: Sequence[bytes], rounds: int
) -> dict[str, _Row]:
    """Send and fetch the same files, in turns; each round has bytes of its own."""
    rows = {"up": _Row(), "down": _Row()}
    for number in range(rounds):
        mine = [body[:-8] + number.to_bytes(8, "big") for body in bodies]
        _bare(bucket, mine, rows)
        for place in places:
            _through(place, f"files-{len(mine)}-{number}", mine, rows)
    return rows


def _bare(bucket: BucketServer, bodies: Sequence[bytes], rows: dict[str, _Row]) -> None:
    """Use URLs that were signed without any server of ours."""
    place = bucket.new_bucket()
    client = boto3.session.Session().client(
        "s3", endpoint_url=bucket.behind, region_name="us-east-1",
        aws_access_key_id=place.credentials["access_key"], aws_secret_access_key=place.credentials["secret_key"],
        config=Config(proxies={}, signature_version="s3v4"),
    )  # fmt: skip
    name = urlsplit(place.url).netloc

    def signed(method: str, number: int, **more: str) -> str:
        given = {"Bucket": name, "Key": str(number), **more}
        return str(client.generate_presigned_url(method, Params=given, ExpiresIn=_EXPIRES_S))

    uploads = [
        Upload(path_of(signed("put_object", number, ContentMD5=md5(body))), body, {"Content-MD5": md5(body)})
        for number, body in enumerate(bodies)
    ]
    addresses = [path_of(signed("get_object", number)) for number in range(len(bodies))]
    port = port_of(bucket.behind)
    rows["up"].note("alone", seconds(lambda: put_all(port, uploads)), 0)
    rows["down"].note("alone", seconds(lambda: get_all(port, addresses)), 0)


def _through(place: _Place, name: str, bodies: Sequence[bytes], rows: dict[str, _Row]) -> None:
    """Log and fetch an artifact; asking for addresses and the commit count."""
    draft = begin(place.who, "bench", name, digest=name)
    files = {str(number): of(body) for number, body in enumerate(bodies)}
    listed = [(file, digest) for file, (digest, _size) in files.items()]

    def log() -> None:
        port, uploads = uploads_of(draft, bodies, listed)
        put_all(port, uploads)
        draft.describe(files)
        draft.commit()

    def fetch() -> None:
        found = list(urls(place.who, "bench", f"{name}:v0").values())
        get_all(place.server.port, [path_of(url) for url in found])

    with Meter([place.server.pid("web")]) as meter:
        for way, work in (("up", log), ("down", fetch)):
            before = meter.cpu_s()
            took_s = seconds(work)
            rows[way].note(place.name, took_s, meter.cpu_s() - before)


def _print(title: str, amount: int, rows: dict[str, _Row]) -> None:
    for way, row in rows.items():
        speed = {place: amount / statistics.median(times) for place, times in row.times.items()}
        cpu = {place: statistics.median(times) for place, times in row.cpu.items()}
        print(
            f"| {title}, {way} | {speed['alone']:,.0f} | {speed['folder']:,.0f} | {speed['bucket']:,.0f} |"
            f" {speed['bucket'] / speed['alone']:.2f} | {cpu['folder']:.2f} | {cpu['bucket']:.2f} |",
            flush=True,
        )
