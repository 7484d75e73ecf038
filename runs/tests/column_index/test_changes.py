"""Whatever changes a run is seen by the next question, and nothing that was taken back."""

import json
import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from access.actor import SYSTEM
from runs.bulk_actions.deletion import delete_runs, restore_runs
from runs.bulk_actions.moving import move_runs
from runs.column_index import kept, listed_runs
from runs.column_index.project_index import ProjectIndex
from runs.column_index.triggers import create_triggers
from runs.column_index.values import Values
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.models import Run, RunChange
from runs.query.columns import column_named
from runs.query.conditions import All, Compare, Operator
from runs.query.ordering import read_ordering
from runs.table import TableQuery, rows_of
from tests.factories import ProjectFactory, RunFactory

ORDER = read_ordering("summary.loss")
NAME = column_named("display_name")


def listed(project, *conditions):
    found = listed_runs(SYSTEM, project, All(conditions), ORDER, [NAME])
    assert found is not None
    return [found.columns[NAME].plain(at) for at in range(len(found.pks))]


def named(name):
    return Compare("display_name", Operator.EQ, name)


@pytest.fixture
def project(db):
    project = ProjectFactory()
    for number in range(4):
        run = RunFactory(project=project, uid=f"r{number}", display_name=f"run {number}")
        lifecycle.set_summary(run, json.dumps({"loss": number}))
    return project


def run_of(project, number):
    return Run.objects.get(project=project, uid=f"r{number}")


def test_a_run_that_is_created_changed_or_gone(project):
    assert listed(project) == ["run 0", "run 1", "run 2", "run 3"]
    lifecycle.update_run(actor=SYSTEM, run=run_of(project, 1), fields=RunFields(display_name="one"))
    lifecycle.set_summary(run_of(project, 0), json.dumps({"loss": 9}))
    RunFactory(project=project, display_name="new")
    assert listed(project) == ["one", "run 2", "run 3", "run 0", "new"]
    with connection.cursor() as cursor:  # by whatever hand
        cursor.execute("UPDATE runs_run SET display_name = 'two' WHERE id = %s", [run_of(project, 2).pk])
    assert listed(project, named("two")) == ["two"]
    run_of(project, 3).delete()
    assert listed(project) == ["one", "two", "run 0", "new"]


def test_a_run_that_is_deleted_and_restored(project):
    ids = [run_of(project, number).pk for number in (1, 2)]
    assert len(listed(project)) == 4
    delete_runs(actor=SYSTEM, run_ids=ids)
    assert listed(project) == ["run 0", "run 3"]
    restore_runs(actor=SYSTEM, run_ids=ids[:1])
    assert listed(project) == ["run 0", "run 1", "run 3"]


def test_a_run_that_moves(project):
    other = ProjectFactory(team=project.team)
    RunFactory(project=other, display_name="there")
    assert (len(listed(project)), listed(other)) == (4, ["there"])
    Run.objects.filter(project=project).update(state="finished")
    result = move_runs(actor=SYSTEM, run_ids=[run_of(project, 2).pk], project=other)
    assert result.done, result
    assert listed(project) == ["run 0", "run 1", "run 3"]
    assert listed(other) == ["run 2", "there"]


def test_what_a_rewind_set_aside_is_listed_once_its_run_is_deleted(project):
    run = run_of(project, 0)
    archive = RunFactory(project=project, uid="aside", display_name="aside")
    Run.objects.filter(pk=archive.pk).update(archive_of=run)
    assert "aside" not in listed(project)
    delete_runs(actor=SYSTEM, run_ids=[run.pk])
    assert listed(project) == ["run 1", "run 2", "run 3", "aside"]


def test_many_changes_are_read_anew(project, monkeypatch):
    assert len(listed(project)) == 4
    monkeypatch.setattr("runs.column_index.project_index._MOST_CHANGED", 2)
    Run.objects.filter(project=project).update(display_name="same")
    assert listed(project) == ["same"] * 4


def test_nothing_is_kept_of_a_transaction_under_way(project):
    assert len(listed(project)) == 4
    with transaction.atomic():
        Run.objects.filter(project=project).update(display_name="never")
        assert listed_runs(SYSTEM, project, All(()), ORDER) is None
        transaction.set_rollback(True)
    assert listed(project) == ["run 0", "run 1", "run 2", "run 3"]


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_began_before_others_and_ends_after_them():
    """PostgreSQL numbers transactions when they begin: what is committed late must not be passed over."""
    project = ProjectFactory()
    runs = [RunFactory(project=project, display_name=f"run {number}") for number in range(2)]
    assert len(listed(project)) == 2
    begun, go_on = threading.Event(), threading.Event()

    def late() -> None:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                Run.objects.filter(pk=runs[0].pk).update(display_name="late")
            begun.set()
            go_on.wait(10)
            if connection.vendor == "sqlite":  # which has one writer at a time
                Run.objects.filter(pk=runs[0].pk).update(display_name="late")
        connection.close()

    thread = threading.Thread(target=late)
    if connection.vendor == "postgresql":
        thread.start()
        begun.wait(10)
    Run.objects.filter(pk=runs[1].pk).update(display_name="early")
    assert sorted(listed(project)) == ["early", "run 0"]
    if connection.vendor == "sqlite":
        thread.start()
        begun.wait(10)
    go_on.set()
    thread.join()
    assert sorted(listed(project)) == ["early", "late"]


def test_no_more_memory_is_taken_than_the_bound(project, monkeypatch):
    other = ProjectFactory()
    RunFactory(project=other)
    assert len(listed(project)) == 4
    monkeypatch.setattr(kept, "MOST_BYTES", 200)
    assert len(listed(other)) == 1
    assert list(kept._kept) == [other.pk]
    assert kept._kept[other.pk].nbytes <= 200
    assert listed(project) == ["run 0", "run 1", "run 2", "run 3"]


def test_what_was_read_by_half_is_read_anew(project, monkeypatch):
    assert len(listed(project)) == 4
    Run.objects.filter(project=project, uid="r0").update(display_name="other")
    put = Values.put

    def fail(self, places, values):
        put(self, places, values)
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(Values, "put", fail)
        with pytest.raises(MemoryError):
            listed(project)
    assert listed(project) == ["other", "run 1", "run 2", "run 3"]


def test_nobody_waits_long_for_columns_that_another_reads(project, monkeypatch):
    monkeypatch.setattr("runs.column_index.matching._PATIENCE_S", 0.01)
    assert len(listed(project)) == 4
    with kept._kept[project.pk].lock:
        assert listed_runs(SYSTEM, project, All(()), ORDER) is None
        assert rows_of(SYSTEM, project, TableQuery()).total == 4
    assert len(listed(project)) == 4


def test_triggers_that_are_there_are_left_alone(db):
    with CaptureQueriesContext(connection) as asked:
        create_triggers()
    assert not [one["sql"] for one in asked if "TRIGGER" in one["sql"]]
    name = "runs_note_pulse_changed"
    with connection.cursor() as cursor:
        cursor.execute(
            f"DROP TRIGGER {name}" + (" ON runs_pulse" if connection.vendor == "postgresql" else "")
        )
    with CaptureQueriesContext(connection) as asked:
        create_triggers()
    assert [one["sql"] for one in asked if f"CREATE TRIGGER {name}" in one["sql"]]


def test_a_changed_run_has_one_row_of_changes(project):
    count = RunChange.objects.filter(project_id=project.pk).count()
    for number in range(5):
        Run.objects.filter(project=project).update(display_name=f"name {number}")
    assert RunChange.objects.filter(project_id=project.pk).count() == count == 4


def test_texts_that_no_run_has_any_more_are_forgotten(project, monkeypatch):
    assert len(listed(project)) == 4
    for number in range(700):
        Run.objects.filter(project=project).update(display_name=f"name {number}")
        if number % 2:
            assert listed(project) == [f"name {number}"] * 4
    index = kept._kept[project.pk]
    assert isinstance(index, ProjectIndex)
    assert len(index.values(NAME).texts) < 1100
