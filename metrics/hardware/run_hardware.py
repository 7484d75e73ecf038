"""The machines of one run and how much of them it used: the card on its overview (RUN-40, wish 70)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from metrics.hardware import system_metrics
from metrics.hardware.hosts import rows_of_nodes
from metrics.models import StreamKind
from metrics.series import selectors
from metrics.store.reads import key_stats
from runs.hosts.gpus import counted_names
from runs.models import Run, RunHost

_WATCHED = frozenset({"gpu", "memoryAllocated", "memoryAllocatedBytes", "powerWatts"})


@dataclass(slots=True)
class Node:
    """A machine of the run."""

    name: str
    facts: RunHost | None
    gpu_count: int = 0
    values: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    """By the last part of a GPU's tag: (mean, greatest) of each GPU."""
    cpu_percent: float | None = None
    """Mean."""
    memory_percent: float | None = None
    """Greatest."""

    @property
    def gpu_names(self) -> str:
        """How many of which: ``8 × NVIDIA H100``."""
        cards = self.facts.gpus if self.facts else []
        return counted_names([card.get("name", "") for card in cards] or [""] * self.gpu_count)

    @property
    def gpu_memory_bytes(self) -> int | None:
        """Of each GPU, where all are alike."""
        sizes = {card.get("memory_bytes") for card in (self.facts.gpus if self.facts else [])}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def uuids(self) -> list[tuple[int, str]]:
        """Index and UUID of each GPU that has one."""
        cards = self.facts.gpus if self.facts else []
        return [(card["index"], card["uuid"]) for card in cards if card.get("uuid")]

    @property
    def gpu_use(self) -> float | None:
        """Mean of all GPUs over the run, percent."""
        return _mean(mean for mean, _ in self.values.get("gpu", ()))

    @property
    def gpu_memory_peak(self) -> float | None:
        """Of the fullest GPU, percent."""
        return max((most for _, most in self.values.get("memoryAllocated", ())), default=None)

    @property
    def gpu_memory_peak_bytes(self) -> float | None:
        """Of the fullest GPU."""
        return max((most for _, most in self.values.get("memoryAllocatedBytes", ())), default=None)

    @property
    def gpu_watts(self) -> float | None:
        """Mean of all GPUs together."""
        watts = [mean for mean, _ in self.values.get("powerWatts", ())]
        return sum(watts) if watts else None


def nodes_of(run: Run) -> list[Node]:
    """Return the machines that a run's metadata names, and those that its samples know by label alone."""
    rows = list(RunHost.objects.filter(run=run).defer("told"))
    keys = key_stats([run.pk], StreamKind.SYSTEM).get(run.pk, {})
    found = {key: system_metrics.match_tag(key) for key in keys if not key.startswith("_")}
    labels = list(dict.fromkeys(one.label for one in found.values()))
    row_of = rows_of_nodes(run, labels, rows)
    nodes = {label: Node(_name(run, label, row_of[label]), row_of[label]) for label in sorted(labels)}
    _add_use(run, found, nodes)
    taken = {row.pk for row in row_of.values() if row}
    others = [Node(row.host, row) for row in rows if row.pk not in taken]
    return [node for node in [*nodes.values(), *others] if node.name]


def _name(run: Run, label: str, row: RunHost | None) -> str:
    return row.host if row else label or run.host


def _add_use(run: Run, found: dict[str, system_metrics.TagMatch], nodes: dict[str, Node]) -> None:
    """Add means and peaks over the whole run, from one bucket of each metric that is shown."""
    watched = {
        key: one for key, one in found.items() if one.metric.tag in {"cpu", "memory_percent"} or _is_gpu(one)
    }
    keys = list(watched)[: selectors.MAX_KEYS]
    for key, bucket in selectors.series(run.pk, StreamKind.SYSTEM, keys, buckets=1).items():
        one, mean, most = watched[key], bucket["mean"][0], bucket["max"][0]
        if isinstance(mean, str) or isinstance(most, str):  # not finite
            continue
        node = nodes[one.label]
        if one.metric.tag == "cpu":
            node.cpu_percent = mean
        elif one.metric.tag == "memory_percent":
            node.memory_percent = most
        else:
            node.values.setdefault(one.tag.rpartition(".")[2], []).append((mean, most))
    for node in nodes.values():
        node.gpu_count = max(map(len, node.values.values()), default=0)


def _is_gpu(found: system_metrics.TagMatch) -> bool:
    return found.metric.group == "GPU" and found.tag.rpartition(".")[2] in _WATCHED


def _mean(values: Iterable[float]) -> float | None:
    known = list(values)
    return sum(known) / len(known) if known else None
