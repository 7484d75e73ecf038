"""A team's machines as its runs report them: each GPU once, however many runs sample it (wish 71, cluster view)."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from access.actor import Actor
from access.engine import visible
from metrics.hardware import system_metrics
from metrics.hardware.machines import GPU_STATES, Host, Machines, Sighting, Values
from metrics.store import reads
from runs.access import RunAction
from runs.models import Run, RunHost
from runs.states import ACTIVE
from teams.models import Team

RECENT = timedelta(hours=24)
"""Machines that were silent for longer are not listed."""
SAMPLES_FROM = timedelta(minutes=15)
"""Older samples are not looked for."""
MAX_RUNS = 500
MAX_HOSTS = 1000


@dataclass(frozen=True, slots=True)
class HostTotals:
    """Counted over all machines."""

    hosts: int
    gpus: int
    busy: int
    idle: int
    stale: int
    unwatched: int


@dataclass(frozen=True, slots=True)
class Cluster:
    """All machines of a team that the viewer may know of."""

    hosts: list[Host]
    totals: HostTotals
    is_cut: bool
    """More runs are active than are looked at."""


def cluster_of(actor: Actor, team: Team) -> Cluster:
    """Return the machines on which visible runs of a team run, or ran of late; a fixed number of statements."""
    now = timezone.now()
    runs = visible(actor, RunAction.VIEW, Run.objects.live().filter(project__team=team))
    lately = runs.filter(pulse__heartbeat_at__gte=now - RECENT)
    active = list(_with_host_fields(lately.filter(state__in=sorted(ACTIVE)))[: MAX_RUNS + 1])
    is_cut, active = len(active) > MAX_RUNS, active[:MAX_RUNS]
    machines = Machines(now)
    for sighting in _sightings(active, now):
        machines.see(sighting)
    for row in _silent(lately.exclude(state__in=sorted(ACTIVE))):
        machines.see(Sighting(row.host, row, row.run, {}, row.run.pulse.heartbeat_at))
    hosts = machines.found()
    gpus = [gpu for host in hosts for gpu in host.by_key.values()]
    states = Counter(gpu.state for gpu in gpus)
    totals = HostTotals(len(hosts), len(gpus), *(states[state] for state in GPU_STATES))
    return Cluster(hosts, totals, is_cut)


def _with_host_fields(runs: "QuerySet[Run]") -> "QuerySet[Run]":
    wide = ("config_text", "config_flat", "pulse__summary_text", "pulse__summary_flat")
    related = runs.select_related("pulse", "project__team", "user")
    return related.defer(*wide).order_by("-pulse__heartbeat_at", "-pk")


def _silent(runs: "QuerySet[Run]") -> Iterable[RunHost]:
    """Return what ended runs reported of each machine, the newest signal first.

    Of those that reported the same GPUs only the latest. A run without GPUs, such as one in a
    container, takes none from a machine whose other runs know them.
    """
    newest = Window(
        RowNumber(),
        partition_by=[F("host"), F("gpus")],
        order_by=[F("run__pulse__heartbeat_at").desc(), F("pk").desc()],
    )
    ranked = RunHost.objects.filter(run__in=runs.order_by()).order_by().annotate(rank=newest).filter(rank=1)
    pks = list(ranked.order_by("-run__pulse__heartbeat_at").values_list("pk", flat=True)[:MAX_HOSTS])
    wide = ("told", "run__config_text", "run__config_flat")
    rows = RunHost.objects.filter(pk__in=pks).select_related("run__pulse").defer(*wide)
    return rows.order_by("-run__pulse__heartbeat_at", "-pk")


def _sightings(runs: Collection[Run], now: datetime) -> Iterator[Sighting]:
    """Yield what active runs say: a machine for each node that samples, and for each host that metadata names."""
    rows: dict[int, list[RunHost]] = {run.pk: [] for run in runs}
    for row in RunHost.objects.filter(run__in=rows).defer("told"):
        rows[row.run_id].append(row)
    samples = reads.latest_samples(list(rows), (now - SAMPLES_FROM).timestamp())
    for run in runs:
        by_node = _by_node(samples.get(run.pk, {}))
        row_of = rows_of_nodes(run, list(by_node), rows[run.pk])
        for node, values in by_node.items():
            named = row_of[node]
            name = named.host if named else node or run.host
            if name:
                yield Sighting(name, named, run, values, run.pulse.heartbeat_at, is_active=True)
        taken = {row.pk for row in row_of.values() if row}
        for row in rows[run.pk]:
            if row.pk not in taken:
                yield Sighting(row.host, row, run, {}, run.pulse.heartbeat_at, is_active=True)
        if not by_node and not rows[run.pk] and run.host:
            yield Sighting(run.host, None, run, {}, run.pulse.heartbeat_at, is_active=True)


def _by_node(samples: Values) -> dict[str, Values]:
    """Return a run's last values by the label of the node, each by its documented tag."""
    nodes: dict[str, Values] = {}
    for key, value in samples.items():
        if key.startswith("_"):
            continue
        found = system_metrics.match_tag(key)
        nodes.setdefault(found.label, {})[found.tag] = value
    return nodes


def rows_of_nodes(run: Run, nodes: list[str], rows: list[RunHost]) -> dict[str, RunHost | None]:
    """Say which host of the metadata each node is: by its label or name, or because there is only one of both."""
    found: dict[str, RunHost | None] = {}
    for node in nodes:
        node_name = node or run.host
        named = [row for row in rows if node and row.label == node]
        named += [row for row in rows if _is_same(row.host, node_name)]
        only = rows if len(rows) == 1 and (not node or len(nodes) == 1) else []
        found[node] = next(iter(named or only), None)
    return found


def _is_same(host: str, name: str) -> bool:
    return bool(name) and (host == name or host.partition(".")[0] == name.partition(".")[0])
