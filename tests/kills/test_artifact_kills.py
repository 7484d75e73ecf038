"""kill -9 of the worker that purges and collects artifacts: the next one ends it, and nothing is counted twice."""

import random

import pytest

from tests.installation import Installation
from tests.killing import work_until_killed
from tests.suite.passes import amount

pytestmark = pytest.mark.faults

KILLS = amount("kills of the collecting worker", 2, 20)

DELETED = (
    f"version_count = {6 * KILLS}"
    """
import json
from access.actor import SYSTEM
from artifacts.tests.factories import make_draft, make_version
from artifacts.versions.deletion import delete_version
from tests.factories import ProjectFactory
project = ProjectFactory()
for number in range(version_count):
    files = {f"{n}": f"{number}-{n}".encode() for n in range(20)} | {"shared": b"shared"}
    version = make_version(project, f"a{number}", files)
    if number:
        delete_version(actor=SYSTEM, version=version, with_aliases=True)
make_draft(project, "draft", {"a": b"draft"})
print(json.dumps(project.pk))
"""
)

AT_WORK = """
import time
from datetime import timedelta
from artifacts import contents
from artifacts.retention import collector, drafts, purge
contents.UNUSED_FOR = drafts.ABANDONED_AFTER = timedelta(hours=-1)
"""

WORKER = (
    AT_WORK
    + """
purge.ROWS_AT_ONCE = drafts.ROWS_AT_ONCE = collector._AT_ONCE = 3
for pk in purge._waiting():
    purge.begin_purge(pk)
    break
print("working", flush=True)
drafts.sweep_drafts()
purge.purge_versions(60)
collector.collect_contents(60)
time.sleep(60)
"""
)

CHECK = (
    AT_WORK
    + """
import json
from artifacts.models import Content, Entry, Pin, Version
from artifacts.retention import ledger
from artifacts.tests.test_retention import counts, recount
from django.utils import timezone
from storage import filesystem, services
from storage.models import Blob
begun = Version.objects.filter(purge_began_at__isnull=False).count()
wrong = counts() != recount()
drafts.sweep_drafts()
purge.purge_versions(3600)
collector.collect_contents(3600)
services.UNUSED_FOR = timedelta(hours=-1)
services.sweep()
services.sweep_strays()
until = (timezone.now() + timedelta(hours=1)).timestamp()
[left] = Version.objects.filter(state="committed", deleted_at=None)
print(json.dumps({
    "begun": begun,
    "wrong": [wrong, counts() != recount()],
    "ledger": ledger.settle(),
    "pins": Pin.objects.count(),
    "entries": [Entry.objects.count(), left.entries.count(), left.file_count],
    "contents": [Content.objects.count(), left.file_count + 1],
    "stored": services.stored_bytes(category="artifact") == sum(
        filesystem.path_of(location).stat().st_size for location in filesystem.locations(until)
    ),
}))
"""
)


def test_artifacts_are_freed_though_the_worker_is_killed_at_random_moments(new_server):
    server: Installation = new_server(RUNYARD_DELETED_KEPT_DAYS="0")
    chance = random.Random(7)
    server.manage("shell", "--no-imports", "-c", DELETED)
    for _ in range(KILLS):
        work_until_killed(server, WORKER, chance.uniform(0, 0.1))
    told = server.manage("shell", "--no-imports", "-c", CHECK)
    assert told["begun"] > 0
    assert told["wrong"] == [False, False]
    assert (told["ledger"], told["pins"], told["stored"]) == (0, 0, True)
    assert told["entries"] == [21, 21, 21]
    assert told["contents"] == [22, 22]
