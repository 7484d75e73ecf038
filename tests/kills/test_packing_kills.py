"""kill -9 of a worker that does nothing but pack, while posts go on; `tests.kills.test_kills` kills the real one."""

import json
import random
from collections.abc import Callable

import pytest

from tests.installation import Installation
from tests.killing import KILLS, Writer, wait_for_posts, work_until_killed
from tests.sdk.people import person
from tests.sdk.wire import Wire
from tests.stored import look

pytestmark = pytest.mark.faults

PACKER = """
from datetime import timedelta
from metrics.models import Stream
from metrics.store import compaction
compaction.PACK_AT_ROWS = compaction.PACK_ENDED_AT_ROWS = 16
compaction.MERGE_AT, compaction.LEASE = 3, timedelta(0)  # as if the killed worker's lease had run out
print("working", flush=True)
while True:
    for stream in Stream.objects.filter(next_row__gt=0):
        compaction.pack_stream(stream.pk)
    print("done", flush=True)
"""


@pytest.fixture(
    params=["files", pytest.param("bucket", marks=pytest.mark.exhaustive("kills with SeaweedFS"))]
)
def segments(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the settings of a place of segments."""
    if request.param == "files":
        return {}
    bucket = request.getfixturevalue("bucket_servers")("seaweedfs").new_bucket()
    return {
        "RUNYARD_SEGMENTS": "bucket",
        "RUNYARD_STORAGE_URL": bucket.url,
        "RUNYARD_STORAGE_KEY": bucket.credentials["access_key"],
        "RUNYARD_STORAGE_SECRET": bucket.credentials["secret_key"],
    }


def test_rows_survive_the_packer_killed_at_random_moments(
    new_server: Callable[..., Installation], segments: dict[str, str]
) -> None:
    server = new_server(**segments)
    chance = random.Random(4)
    with person(server, "packed-ada") as ada:
        run = ada.wire.begin("packing")
        writer = Writer(Wire(server.url, ada.key), run, seed=4)
        writer.start()
        for _ in range(KILLS):
            for _ in range(2):  # what a slow machine posts meanwhile may be too little to pack
                wait_for_posts([writer])
            work_until_killed(server, PACKER, chance.uniform(0, 0.25))
        writer.finish()
        work_until_killed(server, PACKER, None)
        rows = ada.wire.rows(run)
        found = look(server.manage, [writer.expected])
        again = ada.wire.rows(run)
    assert writer.refused == []
    assert found.wrong == []
    assert found.unreadable == []
    assert found.orphans == 0
    assert found.segments > 0
    assert [line["_step"] for line in rows] == list(range(writer.expected.rows))
    assert [json.dumps(line, sort_keys=True) for line in again] == [
        json.dumps(line, sort_keys=True) for line in rows
    ]
