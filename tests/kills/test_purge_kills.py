"""kill -9 of the worker that purges: whatever it was at, the next one frees all, and each byte once."""

import random

import pytest

from tests.installation import Installation
from tests.killing import work_until_killed
from tests.suite.passes import amount

pytestmark = pytest.mark.faults

KILLS = amount("kills of the purging worker", 2, 20)

DELETED = """
import json
from access.actor import SYSTEM
from metrics.store import compaction
from runs.bulk_actions import deletion
from runs.models import Run
from tests.test_purge import full_run
compaction.PACK_ENDED_AT_ROWS = 3
runs = [full_run(posts=12) for _ in range(8)]
for run in runs[1:]:
    deletion.delete_run(actor=SYSTEM, run=run)
print(json.dumps(runs[0].pk))
"""

PURGER = """
import time
from runs.lifecycle import purge
from runs.models import Run
purge.ROWS_AT_ONCE = 3
purge._purge_batch(purge.due(Run.objects.all()).values_list("pk", flat=True).first())
print("working", flush=True)
purge.purge_runs(60)
time.sleep(60)
"""

CHECK = """
import json
from datetime import timedelta
from django.utils import timezone
from metrics.models import Segment
from metrics.store import sweeping
from metrics.store.segment_storage import configured_storage
from runs.lifecycle import purge, storage_ledger
from runs.models import Run, RunFile
from storage import filesystem, services
from storage.models import Blob
from tests.test_purge import KEPT, counts_of, held_by_category
half = Run.objects.filter(purge_began_at__isnull=False).count()
purge.purge_runs(3600)
sweeping.ORPHAN_AFTER = services.UNUSED_FOR = timedelta(hours=-1)
sweeping.sweep()
services.sweep()
services.sweep_strays()
later = timezone.now() + timedelta(hours=1)
gone = Run.objects.filter(deleted_at__isnull=False)
print(json.dumps({
    "begun": half,
    "rows": [str(key) for run in gone for key, n in counts_of(run).items() if n and key[0] not in KEPT],
    "bytes": {run.pk: held_by_category(run) for run in Run.objects.all()},
    "holdings": storage_ledger.reconcile(3600),
    "segments": sorted(configured_storage().names(later)) == sorted(Segment.objects.values_list("name", flat=True)),
    "contents": sorted(filesystem.locations(later.timestamp()))
    == sorted(Blob.objects.values_list("location", flat=True)),
    "used": Blob.objects.count() == RunFile.objects.values("blob").distinct().count(),
}))
"""


def test_runs_are_freed_though_the_purger_is_killed_at_random_moments(new_server):
    server: Installation = new_server(RUNYARD_DELETED_KEPT_DAYS="0")
    chance = random.Random(7)
    alive = server.manage("shell", "--no-imports", "-c", DELETED)
    for _ in range(KILLS):
        work_until_killed(server, PURGER, chance.uniform(0, 0.1))
    told = server.manage("shell", "--no-imports", "-c", CHECK)
    assert told["begun"] > 0
    assert told["rows"] == []
    held = {pk: held for pk, held in told["bytes"].items() if held}
    assert held.keys() == {str(alive)}
    assert held[str(alive)]["file"] == 25
    assert held[str(alive)].keys() == {"file", "history", "log"}
    assert told["holdings"] == 0
    assert (told["segments"], told["contents"], told["used"]) == (True, True, True)
