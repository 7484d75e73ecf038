"""Segments in ClickHouse: two shards, one of them away, what arrives twice, what is deleted (MET-7)."""

import time
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from common.backups.elsewhere import data_elsewhere
from config.doctor import parts
from config.doctor.findings import State
from metrics.models import Segment, StreamKind
from metrics.store import compaction, reads, segment_cache, segment_storage, sweeping
from metrics.store.clickhouse import servers, storage, tables
from metrics.tests.store.test_packing import _small, filled, packed
from storage.backends.base import StorageUnavailable

__all__ = ["_small"]
pytestmark = pytest.mark.django_db
PLACE = "ab" * 16


@pytest.fixture
def cold_store(clickhouse, settings):
    settings.SEGMENT_STORE = "clickhouse"
    return segment_storage.configured_storage()


def steps_of(run):
    return [row["_step"] for _, row in reads.scan(run.pk, StreamKind.HISTORY)]


def rows_of(table):
    """Return how many rows each server has of a table."""
    found = servers.cluster_servers()
    local = tables.tables_of(found).local(table)
    return [int(answer) for answer in found.on_each(f"SELECT count() FROM {local}").values()]  # noqa: S608


def names_by_server():
    """Return which segments each server has parts of."""
    found = servers.cluster_servers()
    local = tables.tables_of(found).local(tables.PARTS)
    answers = found.on_each(f"SELECT DISTINCT segment FROM {local}")  # noqa: S608
    return [set(answer.decode().split()) for answer in answers.values()]


def content():
    """Return the content of a segment."""
    packed(filled(40))
    [segment] = Segment.objects.all()
    return segment_storage.storage_of(segment).read_stored(segment.name, 0, segment.size_bytes)


# -- where rows lie --------------------------------------------------------------------------------------------------


def test_segments_are_spread_over_both_shards_and_each_lies_on_one(cold_store):
    runs = [filled(40) for _ in range(12)]
    for run in runs:
        packed(run)
    assert all(count > 0 for count in rows_of(tables.PARTS))
    assert sum(map(len, names_by_server())) == len(runs)
    assert [steps_of(run) for run in runs] == [list(range(40))] * len(runs)


def test_numbers_lie_there_as_numbers(cold_store):
    """One row for each key of a segment, with what it comes to."""
    packed(filled(40))
    answer = servers.cluster_servers().read(
        "SELECT row0, length(values), values[4], finite, low, high, last, length(rows) FROM segment_numbers"
        " WHERE key = 'loss' FORMAT TabSeparated"
    )
    assert answer.decode().split() == ["0", "40", "1", "40", "0", "13", "13", "0"]


def test_what_is_sent_twice_is_stored_once(cold_store):
    whole = content()
    before = [rows_of(table) for table in (tables.PARTS, tables.NUMBERS)]
    for _ in range(3):
        cold_store.put(PLACE, whole)
    cold_store.delete([Segment.objects.get().name])
    assert [rows_of(table) for table in (tables.PARTS, tables.NUMBERS)] in (
        before,
        [counts[::-1] for counts in before],
    )
    assert cold_store.read(PLACE, 0, len(whole)) == whole


@pytest.mark.parametrize("at", ["numbers", "footer"])
def test_a_push_that_was_cut_off_is_swept(cold_store, at, monkeypatch):
    """Nobody names its rows, and nobody reads them."""
    whole = content()
    send = servers.Servers.write

    def cut_off(self, statement, rows, **options):
        if at in options["insert_deduplication_token"]:
            raise StorageUnavailable("the server was killed")
        send(self, statement, rows, **options)

    monkeypatch.setattr(servers.Servers, "write", cut_off)
    with pytest.raises(StorageUnavailable):
        cold_store.put(PLACE, whole)
    assert PLACE in set(cold_store.names(timezone.now() + timedelta(hours=1)))
    with pytest.raises(ValueError, match="cut off"):
        sweeping.recover_segment(cold_store, PLACE)
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(minutes=1))
    assert sweeping.sweep() == 1
    assert set(cold_store.names(timezone.now() + timedelta(hours=1))) == {Segment.objects.get().name}


def test_names_come_by_pages(cold_store, monkeypatch):
    monkeypatch.setattr(storage, "_NAMES_AT_ONCE", 2)
    for _ in range(5):
        packed(filled(40))
    names = list(cold_store.names(timezone.now() + timedelta(hours=1)))
    assert names == sorted(Segment.objects.values_list("name", flat=True))
    assert list(cold_store.names(timezone.now() - timedelta(hours=1))) == []


def test_what_a_shard_held_before_others_were_added_is_found(cold_store, clickhouse):
    """The hash now says another shard; then all are looked at."""
    runs = [filled(40) for _ in range(6)]
    for run in runs:
        packed(run)
    database = servers.cluster_servers().address.database
    for server in clickhouse.servers:
        for table in (tables.PARTS, tables.NUMBERS):
            server.ask(f"DROP TABLE {database}.{table}")
            server.ask(
                f"CREATE TABLE {database}.{table} AS {database}.{table}_local"
                f" ENGINE = Distributed('metrics', '{database}', '{table}_local', cityHash64(segment) + 1)"
            )
    segment_cache.clear_cache()
    assert [steps_of(run) for run in runs] == [list(range(40))] * len(runs)


def test_a_backup_counts_what_lies_in_clickhouse(cold_store):
    packed(filled(40))
    size = Segment.objects.get().size_bytes
    assert {"where": "ClickHouse (packed metrics)", "files": 1, "bytes": size} in data_elsewhere()


# -- a shard that is away --------------------------------------------------------------------------------------------


@pytest.fixture
def second_away(cold_store, clickhouse):
    """Let there be runs on both shards, and the second one be killed; return all and those on the first."""
    runs = [filled(40) for _ in range(12)]
    for run in runs:
        packed(run)
    there, _ = names_by_server()
    on_first = [run for run in runs if Segment.objects.get(stream__run=run).name in there]
    segment_cache.clear_cache()
    clickhouse.servers[1].kill()
    yield runs, on_first
    clickhouse.start()


def test_runs_of_the_other_shard_are_read_and_no_answer_lacks_rows(second_away):
    runs, on_first = second_away
    for run in runs:
        if run in on_first:
            assert steps_of(run) == list(range(40))
        else:
            with pytest.raises(
                StorageUnavailable, match=r"cannot do this now \(ALL_CONNECTION_TRIES_FAILED\)"
            ):
                steps_of(run)


def test_what_cannot_be_pushed_stays_in_the_tail_and_goes_later(second_away, clickhouse):
    """A push to the shard that is away fails, one to the other does not; then both are there, once."""
    runs, _ = second_away
    later = [filled(40) for _ in range(6)]
    deadline = time.monotonic() + 60
    while Segment.objects.count() == len(runs) and time.monotonic() < deadline:
        compaction.pack_due_streams(10)
    assert [steps_of(run) for run in later] == [list(range(40))] * len(later)
    clickhouse.start()
    while compaction.due_streams().exists() and time.monotonic() < deadline:
        compaction.pack_due_streams(10)
    segment_cache.clear_cache()
    assert [steps_of(run) for run in [*runs, *later]] == [list(range(40))] * (len(runs) + len(later))
    clickhouse.servers[1].kill()


def test_a_sweep_that_cannot_delete_everywhere_goes_on_later(second_away, clickhouse, monkeypatch):
    monkeypatch.setattr(sweeping, "ORPHAN_AFTER", -timedelta(minutes=1))
    Segment.objects.all().delete()
    assert sweeping.sweep() == 0
    clickhouse.start()
    assert sweeping.sweep() > 0
    assert rows_of(tables.PARTS) == rows_of(tables.NUMBERS) == [0, 0]
    clickhouse.servers[1].kill()


def test_a_statement_that_takes_too_long_is_given_up_and_not_begun_again_elsewhere(clickhouse, monkeypatch):
    sent, send = [], servers.Servers._send

    def counted(self, server, request, *, timeout_s):
        sent.append(server)
        return send(self, server, request, timeout_s=timeout_s)

    monkeypatch.setattr(servers.Servers, "_send", counted)
    with pytest.raises(StorageUnavailable, match="TIMEOUT_EXCEEDED"):
        servers.cluster_servers().read(
            "SELECT sleepEachRow(0.2) FROM numbers(60)", timeout_s=1, max_block_size=1
        )
    assert len(sent) == 1


# -- what operators are told -----------------------------------------------------------------------------------------


def doctor_says():
    [finding] = parts.clickhouse()
    return finding


def test_doctor_says_what_is_missing(clickhouse, settings):
    assert doctor_says().state == State.FINE
    url = settings.CLICKHOUSE_URL
    settings.CLICKHOUSE_CLUSTER = "another"
    assert "knows no cluster 'another'" in doctor_says().text
    settings.CLICKHOUSE_CLUSTER = "metrics"
    settings.CLICKHOUSE_URL = f"{url}_empty"
    assert "lacks tables" in doctor_says().text
    settings.CLICKHOUSE_URL = "http://127.0.0.1:9/runyard"
    assert "does not answer" in doctor_says().text
    settings.CLICKHOUSE_URL = "http://first,,second"
    assert "cannot be read" in doctor_says().text
    settings.CLICKHOUSE_URL = ""
    assert list(parts.clickhouse()) == []


def test_a_server_that_is_too_old_is_refused(clickhouse, monkeypatch):
    monkeypatch.setattr(tables, "OLDEST", (999, 1))
    with pytest.raises(CommandError, match=r"needs 999\.1 or newer"):
        call_command("prepare_clickhouse")


@pytest.mark.parametrize("cluster", ["metrics", ""])
def test_the_statements_for_replicated_tables_are_printed(settings, cluster):
    """They did not run on a replicated cluster: none can be had here."""
    settings.CLICKHOUSE_URL, settings.CLICKHOUSE_CLUSTER = "http://first,second/metrics", cluster
    out = StringIO()
    call_command("prepare_clickhouse", replicated=True, sql=True, stdout=out)
    statements = out.getvalue().splitlines()
    assert len(statements) == (5 if cluster else 3)
    own = [statement for statement in statements if "ReplicatedMergeTree" in statement]
    assert len(own) == 2
    assert all(
        "('/clickhouse/tables/{shard}/metrics/segment_" in one and "'{replica}')" in one for one in own
    )
    assert sum("Distributed('metrics', 'metrics'," in one for one in statements) == (2 if cluster else 0)


def test_one_server_without_a_cluster_does_as_well(clickhouse, settings):
    settings.CLICKHOUSE_URL = f"{clickhouse.servers[0].url}/single_{PLACE}"
    settings.CLICKHOUSE_CLUSTER, settings.SEGMENT_STORE = "", "clickhouse"
    call_command("prepare_clickhouse", stdout=StringIO())
    run = filled(40)
    packed(run)
    segment_cache.clear_cache()
    assert steps_of(run) == list(range(40))
    segment_storage.configured_storage().delete([Segment.objects.get().name])
    clickhouse.servers[0].ask(f"DROP DATABASE single_{PLACE}")


def test_a_name_that_the_settings_do_not_give_is_no_error_of_the_server(settings):
    settings.SEGMENT_STORE = "clickhouse"
    with pytest.raises(StorageUnavailable, match="RUNYARD_CLICKHOUSE_URL is not set"):
        segment_storage.configured_storage()
