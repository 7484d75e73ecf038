"""Blobs, the ledger of bytes, and what is swept."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.db import connection, transaction
from django.db.models import Sum
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runs.models import RunFile
from storage import filesystem, services
from storage.models import Blob, ByteEntry, Holding
from storage.services import (
    UNUSED_FOR,
    move_bytes,
    record_bytes,
    settle_bytes,
    store_blob,
    store_bytes,
    stored_bytes,
    sweep,
    sweep_strays,
)
from storage.signed_urls import tickets
from storage.tasks import sweep_storage
from storage.tasks import sweep_strays as sweep_strays_task
from tests.factories import RunFactory, add_run_file
from tests.suite.examples import examples
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path: Path):
    settings.BLOB_ROOT = tmp_path


def age(blob: Blob, *, hours: float) -> None:
    written = (timezone.now() - timedelta(hours=hours)).timestamp()
    os.utime(filesystem.path_of(blob.location), (written, written))


def _later(hours: float) -> time_machine.travel:
    return time_machine.travel(timezone.now() + timedelta(hours=hours), tick=False)


class TestKeeping:
    def test_equal_content_is_one_blob(self):
        assert store_bytes(b"same") == store_bytes(b"same")
        assert store_bytes(b"other") != store_bytes(b"same")

    def test_what_arrives_again_is_fresh_again(self):
        blob = store_bytes(b"same")
        with _later(5):
            store_bytes(b"same")
            blob.refresh_from_db()
            assert blob.seen_at == timezone.now()

    def test_the_same_content_at_once_is_kept_once(self, tmp_path: Path):
        with filesystem.Incoming() as first, filesystem.Incoming() as second:
            for incoming in (first, second):
                incoming.write(b"same")
            assert store_blob(first.finish()) == store_blob(second.finish())
        assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1

    def test_what_is_not_kept_is_removed(self, tmp_path: Path):
        with filesystem.Incoming() as incoming:
            incoming.write(b"half")
        assert not any(path.is_file() for path in tmp_path.rglob("*"))

    def test_a_purpose_that_nobody_registered_gets_no_ticket(self):
        with pytest.raises(KeyError):
            tickets.put_path("no-such-purpose")


class TestSweep:
    def test_frees_what_nobody_has_used_for_a_day(self):
        blob = store_bytes(b"old")
        with _later(23):
            assert sweep() == 0
        with _later(25):
            assert sweep_storage() == 1
        assert not Blob.objects.exists()
        assert not filesystem.path_of(blob.location).exists()

    def test_keeps_what_is_used_however_old(self):
        file = add_run_file(RunFactory(), "notes.txt")
        with _later(1000):
            assert sweep() == 0
        assert filesystem.path_of(file.blob.location).exists()

    def test_frees_what_was_replaced(self):
        run = RunFactory()
        old = add_run_file(run, "notes.txt", b"old").blob
        new = add_run_file(run, "notes.txt", b"new").blob
        with _later(25):
            assert sweep() == 1
        assert list(Blob.objects.all()) == [new]
        assert not filesystem.path_of(old.location).exists()

    def test_frees_content_only_when_its_last_user_is_gone(self):
        one, two = RunFactory(), RunFactory()
        for run in (one, two):
            add_run_file(run, "notes.txt", b"shared")
        RunFile.objects.filter(run=one).delete()
        with _later(25):
            assert sweep() == 0
        RunFile.objects.filter(run=two).delete()
        with _later(25):
            assert sweep() == 1

    def test_removes_uploads_that_were_cut_off_a_day_ago(self):
        with filesystem.Incoming() as abandoned, filesystem.Incoming() as under_way:
            for incoming in (abandoned, under_way):
                incoming.write(b"half")
            old = (timezone.now() - UNUSED_FOR - timedelta(minutes=1)).timestamp()
            os.utime(abandoned.path, (old, old))
            assert sweep() == 1
            assert under_way.path.exists()
            assert not abandoned.path.exists()

    def test_content_stored_again_after_a_sweep_is_whole(self):
        first = store_bytes(b"again")
        with _later(25):
            sweep()
        second = store_bytes(b"again")
        assert second.location != first.location, "a late delete of the old place must hit nothing"
        assert filesystem.path_of(second.location).read_bytes() == b"again"

    def test_twice_is_as_good_as_once(self):
        store_bytes(b"old")
        with _later(25):
            assert (sweep(), sweep()) == (1, 0)


class TestStrays:
    def test_removes_what_no_row_has_named_for_a_day(self):
        """A server died between the commit and the removal, or before the commit."""
        blob, used = store_bytes(b"stray"), add_run_file(RunFactory(), "notes.txt").blob
        Blob.objects.filter(pk=blob.pk).delete()
        age(blob, hours=25)
        age(used, hours=25)
        assert sweep_strays_task() == 1
        assert not filesystem.path_of(blob.location).exists()
        assert filesystem.path_of(used.location).exists()

    def test_leaves_an_upload_alone_whose_row_is_not_there_yet(self):
        blob = store_bytes(b"under way")
        Blob.objects.filter(pk=blob.pk).delete()
        age(blob, hours=23)
        assert sweep_strays() == 0
        assert filesystem.path_of(blob.location).exists()

    def test_asks_once_for_many(self, django_assert_num_queries):
        for number in range(30):
            age(store_bytes(b"%d" % number), hours=25)
        with django_assert_num_queries(2):  # one for the buckets
            assert sweep_strays() == 0

    def test_leaves_uploads_under_way_to_the_other_sweep(self):
        with filesystem.Incoming() as incoming:
            os.utime(incoming.path, (0, 0))
            assert sweep_strays() == 0
            assert incoming.path.exists()


@pytest.mark.django_db(transaction=True)
def test_content_renewed_while_it_is_swept_stays():
    """An upload of the same content, or an export asked for again, came between looking and deleting."""
    blob = store_bytes(b"old")
    asked = threading.Event()

    def renew() -> None:
        try:
            with transaction.atomic():
                Blob.objects.filter(pk=blob.pk).update(seen_at=timezone.now() + timedelta(hours=25))
                asked.set()
                time.sleep(0.2)  # the sweep meets the row while it is being renewed
        finally:
            connection.close()

    with _later(25), ThreadPoolExecutor(1) as pool:
        found = Blob.objects.filter(seen_at__lt=timezone.now() - UNUSED_FOR)
        renewing = pool.submit(renew)
        asked.wait(PATIENCE_S)
        assert services._delete_unused(found, blob) is False
        renewing.result()
    assert Blob.objects.filter(pk=blob.pk).exists()


class TestLedger:
    def test_nothing_is_entered_for_no_change(self):
        record_bytes(team_id=1, delta_bytes=0, category="file")
        assert not ByteEntry.objects.exists()

    def test_nobody_holds_nothing(self):
        assert stored_bytes(team_id=1) == 0

    @settings(
        max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(sizes=st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), st.integers(0, 50)), max_size=12))
    def test_whatever_is_uploaded_the_sum_is_what_the_run_holds(self, sizes: list[tuple[str, int]]):
        """BIL-4."""
        run = RunFactory()
        for name, size in sizes:
            add_run_file(run, name, b"x" * size)
        held = sum(RunFile.objects.filter(run=run).values_list("size_bytes", flat=True))
        team_id = run.project.team_id
        assert (
            stored_bytes(run_id=run.pk)
            == stored_bytes(project_id=run.project_id)
            == stored_bytes(team_id=team_id)
            == held
        )

    def test_entries_outlive_the_run(self):
        run = RunFactory()
        add_run_file(run, "notes.txt", b"12345")
        pk = run.pk
        run.delete()
        assert stored_bytes(run_id=pk) == 5

    def test_what_is_held_is_the_sum_of_its_entries(self):
        """BIL-4."""
        place: dict[str, Any] = {"team_id": 1, "project_id": 2, "run_id": 3, "category": "file"}
        for delta in (5, 7, -2):
            record_bytes(**place, user_id=4, delta_bytes=delta)
        assert Holding.objects.values("team_id", "project_id", "run_id", "category", "size_bytes").get() == {
            **place,
            "size_bytes": 10,
        }
        assert set(ByteEntry.objects.values_list("user_id", flat=True)) == {4}
        record_bytes(**place, delta_bytes=-10)
        assert not Holding.objects.exists()

    def test_what_belongs_to_no_run_is_held_by_its_project(self):
        record_bytes(team_id=1, project_id=2, category="artifact", delta_bytes=5)
        record_bytes(team_id=1, category="artifact", delta_bytes=6)
        assert (stored_bytes(team_id=1), stored_bytes(project_id=2), stored_bytes(project_id=0)) == (11, 5, 6)

    def test_settling_enters_the_difference_alone(self):
        place: dict[str, Any] = {"team_id": 1, "project_id": 2, "run_id": 3, "user_id": 4}
        settle_bytes(**place, sizes={"history": 10, "log": 0})
        settle_bytes(**place, sizes={"history": 7, "log": 1})
        settle_bytes(**place, sizes={"history": 7, "log": 1})
        assert list(ByteEntry.objects.order_by("pk").values_list("category", "delta_bytes")) == [
            ("history", 10),
            ("history", -3),
            ("log", 1),
        ]

    def test_settling_counts_what_is_held_at_the_place_alone(self):
        """BIL-4: what the run held elsewhere is not there."""
        record_bytes(team_id=1, project_id=2, run_id=3, category="log", delta_bytes=10)
        settle_bytes(team_id=1, project_id=6, run_id=3, user_id=4, sizes={"log": 10})
        assert (stored_bytes(project_id=2), stored_bytes(project_id=6)) == (10, 10)

    def test_what_was_entered_out_of_order_is_held_in_the_end(self):
        """BIL-4: a holding below zero stays, else its debt would be forgotten."""
        for delta in (-5, 8):
            record_bytes(team_id=1, category="file", delta_bytes=delta)
        assert stored_bytes(team_id=1) == 3

    def test_moved_bytes_leave_nothing_behind(self):
        place: dict[str, Any] = {"team_id": 1, "project_id": 2, "run_id": 3, "category": "log"}
        record_bytes(**place, user_id=4, delta_bytes=10)
        move_bytes(run_ids=[3], team_id=5, project_id=6)
        assert (stored_bytes(team_id=1), stored_bytes(team_id=5), stored_bytes(project_id=6)) == (0, 10, 10)
        move_bytes(run_ids=[3], user_id=7)
        move_bytes(run_ids=[3], user_id=7)
        assert Holding.objects.count() == 1
        assert list(ByteEntry.objects.order_by("pk").values_list("team_id", "user_id", "delta_bytes")) == [
            (1, 4, 10), (1, 4, -10), (5, 4, 10), (5, 4, -10), (5, 7, 10),
        ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_bytes_entered_at_once_are_all_held():
    """BIL-4: no change is lost, though several write to the same place, and it comes and goes."""
    place: dict[str, Any] = {"team_id": 1, "project_id": 2, "category": "artifact"}

    def enter(writer: int) -> None:
        try:
            for number in range(25):
                with transaction.atomic():
                    record_bytes(**place, delta_bytes=writer + 1)
                    record_bytes(**place, run_id=number % 3, delta_bytes=1)
                with transaction.atomic():
                    record_bytes(**place, delta_bytes=-writer - 1 if number % 5 else 1)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        for entering in [pool.submit(enter, writer) for writer in range(4)]:
            entering.result()
    entered = ByteEntry.objects.aggregate(total=Sum("delta_bytes"))["total"]
    assert stored_bytes(team_id=1) == entered == 4 * 25 + 5 * (1 + 2 + 3 + 4) + 5 * 4
    assert stored_bytes(run_id=1) == 4 * 8
