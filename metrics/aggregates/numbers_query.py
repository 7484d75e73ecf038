"""Asking ClickHouse about the numbers of a key in segments of given names."""

from collections.abc import Iterator, Sequence
from typing import Any

from metrics.store.clickhouse.servers import ExternalTable, cluster_servers
from metrics.store.clickhouse.tables import NUMBERS

TIMEOUT_S = 60.0


def ask(statement: str, names: Sequence[str], key: str, **parameters: Any) -> Iterator[list[str]]:
    """Yield the rows of an answer, as texts; none without names.

    Only named segments count: others are of merged, rewound or deleted rows, or were not all there yet. Their names go
    along with the statement as a table of its own.

    Args:
        statement: With ``{numbers}`` for the table and ``{wanted}`` for the condition.
        names: Of segments, which lie in ClickHouse.
        key: Shown name.
        parameters: More of the statement.

    Raises:
        StorageUnavailable: ClickHouse does not answer.
    """
    if not names:
        return
    wanted = "key = {key:String} AND segment GLOBAL IN (SELECT segment FROM wanted)"
    answer = cluster_servers().read(
        f"{statement.replace('{numbers}', NUMBERS).replace('{wanted}', wanted)} FORMAT TabSeparated",
        {"key": key, **parameters},
        table=ExternalTable("wanted", "segment String", "\n".join(names).encode()),
        timeout_s=TIMEOUT_S,
    )
    for line in answer.decode().splitlines():
        yield line.split("\t")
