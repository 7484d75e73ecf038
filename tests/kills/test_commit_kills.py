"""kill -9 after each statement of a commit: a version with all its bytes, or a draft that is swept (ART-1, ART-3)."""

import pytest

from tests.installation import Installation

pytestmark = [
    pytest.mark.faults,
    pytest.mark.races,
    pytest.mark.exhaustive("kill a commit after each of its statements, one by one"),
]

KILLED = """
import json, os, signal
from access.actor import SYSTEM
from artifacts.drafts.commit import commit_version
from artifacts.models import Entry, Membership, Version
from artifacts.tests.factories import make_draft, make_version
from artifacts.tests.test_retention import counts, recount
from django.db import connection
from tests.factories import ProjectFactory, RunFactory

def killing(count):
    left = count
    def execute_and_die(execute, *given):
        nonlocal left
        result, left = execute(*given), left - 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return execute_and_die

def commit(draft, count):
    connection.close()
    if connection.vendor == "postgresql":
        connection.close_pool()  # a pool of the parent would serve the child as well
    child = os.fork()
    if not child:
        with connection.execute_wrapper(killing(count)):
            commit_version(actor=SYSTEM, version=draft)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def drafts_of(kind, number):
    run = RunFactory(project=project)
    more = {"run": run, "aliases": ["best"], "tags": ["t"], "files": {"a": b"shared", "b": b"%d" % number}}
    draft = make_draft(project, f"{kind}{number}", **more)
    if kind == "merged":
        commit_version(actor=SYSTEM, version=make_draft(project, f"{kind}{number}", **more))
    return draft

project = ProjectFactory()
found = {}
for kind in ("committed", "merged"):
    states, number, status = [], 0, -signal.SIGKILL
    while status:
        number += 1
        draft = drafts_of(kind, number)
        status = commit(draft, number)
        assert status in (0, -signal.SIGKILL), status
        draft.refresh_from_db()
        states.append(draft.state)
        assert counts() == recount()
        if number % 2 and draft.is_draft:
            whole = commit_version(actor=SYSTEM, version=draft)
            assert (whole.entries.count(), whole.file_count, whole.outputs.count()) == (2, 2, 1)
            assert {alias.name for alias in Membership.objects.get(version=whole).aliases.all()} == {"best", "latest"}
    found[kind] = [states.count("draft"), states[-1], Version.objects.filter(state="draft").count()]
print(json.dumps(found))
"""

CHECK = """
import json
from datetime import timedelta
from artifacts import contents
from artifacts.models import Content, Entry, Pin, Version
from artifacts.retention import collector, drafts, ledger
from artifacts.tests.test_retention import counts, recount
from django.utils import timezone
from runs.models import Run
from storage import filesystem, services
from storage.models import Blob

def stored():
    until = (timezone.now() + timedelta(hours=1)).timestamp()
    return {where: filesystem.path_of(where).stat().st_size for where in filesystem.locations(until)}

def sizes(**condition):
    return sum(Content.objects.filter(**condition).values_list("size_bytes", flat=True))

contents.UNUSED_FOR = drafts.ABANDONED_AFTER = services.UNUSED_FOR = timedelta(hours=-1)
Run.objects.update(state="finished")
services.sweep_strays()
before = sum(stored().values()) == sizes()
swept = drafts.sweep_drafts()
collected = [collector.collect_contents(3600).count, collector.collect_contents(3600).count]
services.sweep()
whole = all(
    version.entries.count() == 2 and version.manifest is not None
    for version in Version.objects.filter(state="committed")
)
print(json.dumps({
    "live, trash and pending before": before,
    "swept": swept, "again": drafts.sweep_drafts(), "collected": collected[0] > 0, "collected again": collected[1],
    "drafts": Version.objects.filter(state="draft").count(), "pins": Pin.objects.count(), "whole": whole,
    "named": Content.objects.filter(live_count=0).count(), "counts": counts() == recount(), "ledger": ledger.settle(),
    "stored": [sum(stored().values()) == sizes(live_count__gt=0) == services.stored_bytes(category="artifact"),
               stored().keys() == set(Blob.objects.values_list("location", flat=True))],
}))
"""


def test_a_commit_that_is_killed_after_any_statement_is_whole_or_a_draft(new_server):
    server: Installation = new_server()
    told = server.manage("shell", "--no-imports", "-c", KILLED)
    left = 0
    for kind, (drafts, last, still_drafts) in told.items():
        assert last == kind, "the last was not killed"
        assert drafts > 10, "it is killed within the transaction, too"
        left = still_drafts
    assert server.manage("shell", "--no-imports", "-c", CHECK) == {
        "live, trash and pending before": True,
        "swept": left,
        "again": 0,
        "collected": True,
        "collected again": 0,
        "drafts": 0,
        "pins": 0,
        "whole": True,
        "named": 0,
        "counts": True,
        "ledger": 0,
        "stored": [True, True],
    }
