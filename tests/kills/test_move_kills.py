"""kill -9 of the worker that moves a team's files to its own bucket and back: the next one goes on where it was."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.buckets import BucketServer
from tests.installation import Installation
from tests.killing import work_until_killed

pytestmark = [pytest.mark.faults, pytest.mark.exhaustive("kills workers that move files")]

KILLS = 8
"""Of each way."""

FILLED = (
    f"file_count = {20 * KILLS}"
    """
import json
from artifacts.tests.factories import make_version
from tests.factories import RunFactory, add_run_file
run = RunFactory()
for number in range(file_count):
    add_run_file(run, f"{number}.bin", f"{number}".encode() * 10_000)
make_version(run.project, "data", {"a": b"artifact", "same": b"0" * 10_000})
print(json.dumps(run.project.team.pk))
"""
)

LOOK_UP = """
from datetime import timedelta
from django.utils import timezone
from storage.models import BucketMove
from storage.team_buckets import connector, moving
from teams.models import Team
team = Team.objects.get(pk={team})
def go_on():
    long_ago = timezone.now() - timedelta(minutes=1)  # as if the lease of who was killed had ended
    BucketMove.objects.filter(finished_at=None).update(wakes_at=timezone.now(), started_at=long_ago)
    move = moving.under_way(team.pk)
    if move:
        moving.go_on(move.pk)
"""

WORKER = (
    LOOK_UP
    + """
import time
print("working", flush=True)
go_on()
time.sleep(60)
"""
)

CHECK = (
    LOOK_UP
    + """
import json
from access.actor import SYSTEM
from artifacts.models import Version
from runs.models import RunFile
from storage import services
from storage.buckets.services import backend_of
from storage.contents.reading import content_of
from storage.models import Blob, Bucket
before = BucketMove.objects.latest("pk")
go_on()
move = BucketMove.objects.latest("pk")
files = {{file.name: content_of(file.blob).read_bytes() for file in RunFile.objects.select_related("blob")}}
version = Version.objects.get(state="committed")
services.UNUSED_FOR = timedelta(hours=-1)
services.sweep()
services.sweep_strays()
later = timezone.now() + timedelta(hours=1)
named = set(Blob.objects.filter(bucket=move.target).values_list("location", flat=True))
there = set(backend_of(move.target_id).keys(later)) if move.target_id else named
print(json.dumps({{
    "before": [before.files_done, before.finished_at is not None],
    "move": [move.error, move.files_left, move.finished_at is not None],
    "elsewhere": moving.misplaced(team.pk, move.target_id).count(),
    "wrong": [name for name, content in files.items() if content != name[:-4].encode() * 10_000],
    "files": len(files),
    "artifact": sorted(content_of(entry.content.blob).read_bytes()[:8].decode() for entry in version.entries.all()),
    "unnamed": len(there - named),
    "missing": len(named - there),
}}))
"""
)


@pytest.fixture
def bucket(bucket_servers: Callable[[str], BucketServer]) -> BucketServer:
    """Give a running server of buckets."""
    return bucket_servers("seaweedfs")


def test_a_move_goes_on_though_its_worker_is_killed_at_random_moments(
    new_server: Callable[..., Installation], bucket: BucketServer
) -> None:
    """TEAM-40."""
    server, place = new_server(RUNYARD_ALLOWED_NETWORKS="127.0.0.0/8"), bucket.new_bucket()
    server.kill9("worker")  # or it moves files beside those that are killed
    team = _told(server, FILLED)
    there = f"team=team, url={place.url!r}, credentials={place.credentials!r}"
    for begin in (
        f"connector.connect(actor=SYSTEM, {there})",
        "connector.disconnect(actor=SYSTEM, team=team)",
    ):
        look_up = LOOK_UP.format(team=team)
        _told(server, f"from access.actor import SYSTEM\n{look_up}\n{begin}")
        _kill_workers(server, bucket, WORKER.format(team=team))
        told = _told(server, CHECK.format(team=team))
        assert told["before"][0] > 0
        assert not told["before"][1], "each kill came while files were moved"
        assert told["move"] == ["", 0, True]
        assert (told["elsewhere"], told["wrong"], told["files"]) == (0, [], 20 * KILLS)
        assert told["artifact"] == ["00000000", "artifact"]
        assert (told["unnamed"], told["missing"]) == (0, 0)


def _told(server: Installation, script: str) -> Any:
    return server.manage("shell", "--no-imports", "-c", script)


def _kill_workers(server: Installation, bucket: BucketServer, script: str) -> None:
    chance = random.Random(7)
    for _ in range(KILLS):
        enough = len(bucket.faults.asked) + chance.randint(1, 15)
        work_until_killed(server, script, 0, until=lambda: len(bucket.faults.asked) >= enough)  # noqa: B023
