"""The graph of lineage: what a version was made from, step by step, and what was made of it.

It goes on only from what the reader may see. What they may not see is counted where it would stand, without a name.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from access.actor import Actor
from access.engine import visible
from artifacts.models import Membership, Output, Use, Version
from artifacts.selectors import places_seen
from runs.access import RunAction
from runs.models import Run

MAX_NODES = 200
MAX_DEPTH = 20
USUAL_DEPTH = 6
_MOST_EDGES = 1000
"""Read in one step, the newest first."""


class NodeKind(StrEnum):
    """What stands at a node."""

    RUN = "run"
    VERSION = "version"
    HIDDEN = "hidden"
    """So many runs or versions that the reader may not see."""


@dataclass(frozen=True, slots=True)
class Key:
    """Which run or version, or beside which of them something is hidden."""

    kind: NodeKind
    pk: int

    def __str__(self) -> str:
        return f"{self.kind}:{self.pk}"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A run, a version, or what is hidden."""

    id: str
    kind: NodeKind
    place: Membership | None = None
    """Of a version: its collection, project and number as the reader sees it."""
    run: Run | None = None
    count: int = 1
    """How many are hidden here."""
    is_focus: bool = False


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A run logged a version (``output``), or a version went into a run (``input``)."""

    source: str
    target: str
    kind: str


@dataclass(slots=True)
class LineageGraph:
    """What was found, nearest to the version first."""

    nodes: list[GraphNode] = field(default_factory=list)
    edges: list[GraphEdge] = field(default_factory=list)
    left_out: int = 0
    """Connections that were not followed, since the graph would have more than MAX_NODES nodes."""

    @property
    def hidden(self) -> int:
        """How many runs and versions the reader may not see."""
        return sum(node.count for node in self.nodes if node.kind == NodeKind.HIDDEN)


def lineage_of(actor: Actor, place: Membership, depth: int = USUAL_DEPTH) -> LineageGraph:
    """Return what lies up to ``depth`` steps before and after a version; the caller sees it at this place.

    A step, from versions to runs or from runs to versions, takes a fixed number of queries.
    """
    key = Key(NodeKind.VERSION, place.version_id)
    return _graph_around(actor, key, GraphNode(str(key), key.kind, place=place, is_focus=True), depth)


def lineage_of_run(actor: Actor, run: Run, depth: int = USUAL_DEPTH) -> LineageGraph:
    """Return what lies up to ``depth`` steps before and after a run, which the caller sees."""
    key = Key(NodeKind.RUN, run.pk)
    return _graph_around(actor, key, GraphNode(str(key), key.kind, run=run, is_focus=True), depth)


def _graph_around(actor: Actor, key: Key, node: GraphNode, depth: int) -> LineageGraph:
    search = _Search(actor, key, node)
    fronts = {is_before: {search.focus} for is_before in (True, False)}
    for _ in range(min(depth, MAX_DEPTH)):
        if not any(fronts.values()):
            break
        fronts = {is_before: search.step(front, is_before=is_before) for is_before, front in fronts.items()}
    return search.graph


class _Search:
    """Gathers the graph."""

    def __init__(self, actor: Actor, focus: Key, node: GraphNode) -> None:
        self.actor = actor
        self.focus = focus
        self.graph = LineageGraph([node])
        self._nodes = {self.focus}
        self._edges: set[GraphEdge] = set()

    def step(self, front: set[Key], *, is_before: bool) -> set[Key]:
        """Add what is next to a front, in one direction; returns what is new."""
        if not front:
            return set()
        at_versions = next(iter(front)).kind == NodeKind.VERSION
        model = Output if at_versions == is_before else Use
        near, far = ("version_id", "run_id") if at_versions else ("run_id", "version_id")
        rows = model._default_manager.filter(**{f"{near}__in": [key.pk for key in front]})
        pairs = list(rows.order_by("-pk").values_list(near, far)[:_MOST_EDGES])
        if len(pairs) == _MOST_EDGES:
            self.graph.left_out += rows.count() - len(pairs)
        seen = self._seen({pk for _, pk in pairs}, are_runs=at_versions)
        kinds = (NodeKind.VERSION, NodeKind.RUN) if at_versions else (NodeKind.RUN, NodeKind.VERSION)
        kind = "output" if model is Output else "input"
        new, hidden = set(), defaultdict[Key, int](int)
        for here, there in pairs:
            start, end = Key(kinds[0], here), Key(kinds[1], there)
            if there not in seen:
                hidden[start] += 1
                continue
            if self._add(end, seen[there]):
                new.add(end)
            if end in self._nodes:
                self._connect(str(start), str(end), kind, is_before=is_before)
            else:
                self.graph.left_out += 1
        self._hide(hidden, kind, is_before=is_before)
        return new

    def _seen(self, pks: set[int], *, are_runs: bool) -> dict[int, GraphNode]:
        nodes = self._runs(pks) if are_runs else self._versions(pks)
        return dict(nodes)

    def _runs(self, pks: Iterable[int]) -> Iterator[tuple[int, GraphNode]]:
        rows = Run.objects.filter(pk__in=pks, project__deleted_at__isnull=True)
        for run in visible(self.actor, RunAction.VIEW, rows).select_related("project__team"):
            yield run.pk, GraphNode(str(Key(NodeKind.RUN, run.pk)), NodeKind.RUN, run=run)

    def _versions(self, pks: Iterable[int]) -> Iterator[tuple[int, GraphNode]]:
        places = places_seen(self.actor, Version.objects.filter(pk__in=pks))
        for place in places.select_related("collection__type", "collection__project__team", "version"):
            key = Key(NodeKind.VERSION, place.version_id)
            yield place.version_id, GraphNode(str(key), NodeKind.VERSION, place=place)

    def _add(self, key: Key, node: GraphNode) -> bool:
        if key in self._nodes or self._is_full():
            return False
        self._nodes.add(key)
        self.graph.nodes.append(node)
        return True

    def _is_full(self) -> bool:
        return len(self.graph.nodes) >= MAX_NODES

    def _connect(self, start: str, end: str, kind: str, *, is_before: bool) -> None:
        edge = GraphEdge(end, start, kind) if is_before else GraphEdge(start, end, kind)
        if edge not in self._edges:
            self._edges.add(edge)
            self.graph.edges.append(edge)

    def _hide(self, hidden: dict[Key, int], kind: str, *, is_before: bool) -> None:
        """Put one node beside each that has neighbours the reader may not see."""
        for key, count in hidden.items():
            if self._is_full():
                self.graph.left_out += count
                continue
            name = f"hidden:{'before' if is_before else 'after'}:{key}"
            self.graph.nodes.append(GraphNode(name, NodeKind.HIDDEN, count=count))
            self._connect(str(key), name, kind, is_before=is_before)
