"""The tables in ClickHouse: what they are, and creating them on every server.

Both are cut by the same hash of the segment's name, so all of a segment lies on one shard. Rows are only ever added and
removed; what a segment holds is known by the database alone, which names it once all its rows are there.
"""

from dataclasses import dataclass

from django.conf import settings

from common.errors import Invalid
from metrics.store.clickhouse.servers import Servers

OLDEST = (24, 3)
"""The first whose merges count out deleted rows (`exclude_deleted_rows_for_part_size_in_merge`)."""
PARTS, NUMBERS = "segment_parts", "segment_numbers"
LOCAL = "_local"
"""Ends the name of a shard's own table, where there is a cluster."""

_COLUMNS = {
    PARTS: (
        "segment String CODEC(ZSTD(1)), start UInt64 CODEC(Delta, ZSTD(1)), size UInt32,"
        " content String CODEC(NONE), written_at DateTime('UTC') CODEC(Delta, ZSTD(1))"
    ),
    NUMBERS: (
        "key LowCardinality(String), stream UInt64, row0 UInt64, segment String CODEC(ZSTD(1)),"
        " rows Array(UInt32) CODEC(Delta, ZSTD(1)), values Array(Float64) CODEC(ZSTD(3)), finite UInt32,"
        " low Float64, high Float64, total Float64, last Float64,"
        " written_at DateTime('UTC') CODEC(Delta, ZSTD(1))"
    ),
}
_ORDER = {PARTS: "(segment, start)", NUMBERS: "(key, stream, row0, segment)"}
_SETTINGS = (
    # one part of a content is read without unpacking tens of MB of its neighbours
    "index_granularity = 256, index_granularity_bytes = 1048576, "
    # acknowledged is what is on the disk: the rows then leave the relational database
    "fsync_after_insert = 1, fsync_part_directory = 1, "
    "non_replicated_deduplication_window = 1000, "
    # what was deleted is left out by merges, and large parts of which much is deleted are merged again
    "exclude_deleted_rows_for_part_size_in_merge = 1, load_existing_rows_count_for_old_parts = 1"
)


@dataclass(frozen=True, slots=True)
class Tables:
    """Names of the tables in a database of a cluster."""

    database: str
    cluster: str
    """Of the servers' ``remote_servers``; "" is a single server."""

    def local(self, table: str) -> str:
        """Return what holds a shard's rows."""
        return f"{self.database}.{table}{LOCAL if self.cluster else ''}"

    def statements(self, *, is_replicated: bool = False) -> list[str]:
        """Return what creates database and tables where there are none; for every server."""
        found = [f"CREATE DATABASE IF NOT EXISTS {self.database}"]
        for table, columns in _COLUMNS.items():
            found.append(
                f"CREATE TABLE IF NOT EXISTS {self.local(table)} ({columns})"
                f" ENGINE = {self._engine(table) if is_replicated else 'MergeTree'}"
                f" PARTITION BY toYYYYMM(written_at) ORDER BY {_ORDER[table]} SETTINGS {_SETTINGS}"
            )
            if self.cluster:
                found.append(
                    f"CREATE TABLE IF NOT EXISTS {self.database}.{table} AS {self.local(table)}"
                    f" ENGINE = Distributed('{self.cluster}', '{self.database}', '{table}{LOCAL}', cityHash64(segment))"
                )
        return found

    def _engine(self, table: str) -> str:
        path = f"/clickhouse/tables/{{shard}}/{self.database}/{table}"
        return f"ReplicatedMergeTree('{path}', '{{replica}}')"


def tables_of(servers: Servers) -> Tables:
    """Return those of the settings."""
    return Tables(servers.address.database, settings.CLICKHOUSE_CLUSTER)


def create(servers: Servers, *, is_replicated: bool = False) -> None:
    """Create what is missing, on every server.

    Raises:
        Invalid: a server is too old.
        StorageUnavailable: one does not answer, or refuses.
    """
    for server in servers.address.servers:
        _require_new_enough(servers, server)
    for statement in tables_of(servers).statements(is_replicated=is_replicated):
        servers.on_each(statement, database="default")


def check(servers: Servers) -> str:
    """Return the versions of the servers, each of which has the tables and reaches all shards.

    Raises:
        Invalid: a server is too old, or lacks the cluster or the tables.
        StorageUnavailable: one does not answer, or refuses.
    """
    tables, versions = tables_of(servers), set()
    for server in servers.address.servers:
        versions.add(_require_new_enough(servers, server))
        if tables.cluster and not _count(servers, server, "clusters", "cluster", tables.cluster):
            raise Invalid(
                f"ClickHouse ({server}) knows no cluster {tables.cluster!r} (RUNYARD_CLICKHOUSE_CLUSTER)."
            )
        if _count(servers, server, "tables", "database", tables.database) < len(tables.statements()) - 1:
            raise Invalid(
                f"ClickHouse ({server}) lacks tables in {tables.database}: run `runyard prepare-clickhouse`."
            )
        servers.on(server, f"SELECT count() FROM {NUMBERS} WHERE key = ''")  # noqa: S608 - of every shard
    return ", ".join(sorted(versions))


def _require_new_enough(servers: Servers, server: str) -> str:
    """Return a server's version.

    Raises:
        Invalid: it is too old.
    """
    text = servers.on(server, "SELECT version()", database="default").decode().strip()
    if tuple(int(part) for part in text.split(".")[:2]) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise Invalid(f"ClickHouse ({server}) is version {text}; Runyard needs {oldest} or newer.")
    return text


def _count(servers: Servers, server: str, table: str, column: str, value: str) -> int:
    statement = f"SELECT count() FROM system.{table} WHERE {column} = {{value:String}}"  # noqa: S608 - names of ours
    return int(servers.on(server, statement, {"value": value}, database="default"))
