"""The GPUs of a run by UUID, as its metadata and hosts report them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from metrics.hardware.hosts import rows_of_nodes
from runs.models import Run, RunHost

Gpu = tuple[str, str]
"""(label of the node, number)"""


@dataclass(frozen=True, slots=True)
class Cards:
    """The machines of a run, as its metadata tells of them."""

    run: Run
    rows: list[RunHost]

    def uuids(self, gpus: Iterable[Gpu]) -> dict[Gpu, str]:
        """Return the UUIDs of GPUs, where they are known."""
        nodes = sorted({label for label, _ in gpus})
        row_of = rows_of_nodes(self.run, nodes, self.rows)
        known = {
            (node, str(card["index"])): str(card["uuid"])
            for node, row in row_of.items()
            for card in (row.gpus if row else ())
            if card.get("uuid")
        }
        return {gpu: known[gpu] for gpu in gpus if gpu in known}


def cards_of(run_ids: Collection[int]) -> dict[int, Cards]:
    """Return the machines of some runs."""
    cards = {run.pk: Cards(run, []) for run in Run.objects.filter(pk__in=run_ids).only("host")}
    for row in RunHost.objects.filter(run__in=run_ids).only("run_id", "host", "label", "gpus"):
        cards[row.run_id].rows.append(row)
    return cards
