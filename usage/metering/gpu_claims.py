"""Each second of a GPU counts once, by the GPU's UUID, however many runs have sampled it.

A run claims the stretches of time in which it sampled a GPU. Of two that sampled it at once, the better claim has it:
that of a run whose process was on the GPU, then that of any training, at last that of a run which only watches the
machine; of equal ones that which was measured first. Runs are measured in any order, so a better claim that comes later
takes its stretches away again: what was counted of them is shifted in the ledger (`HardwareShift`), where a rebuild
finds it. UUIDs come from clients, so they are told apart by who pays: nobody takes another's time.

A claim's energy is the power that its own run sampled. Who loses a stretch loses as much energy as the other gains.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.db.models import Sum
from django.db.models.functions import Coalesce

from metrics.store.codec import Floats
from runs.models import Run
from teams.models import Team
from usage.metering.state import locked_state
from usage.models import GpuClaim, HardwareShift, HardwareUse
from usage.units import DAY_S

OCCUPIED, SEEN, WATCHED = range(3)
"""Ranks of claims: a process of the run was on the GPU, the run saw it, or the run only watches the machine."""
SAMPLE_S = 120.0
"""A sample speaks for no longer: agents sample every few seconds, the SDK every 15."""
_TOUCHING_S = 0.001

Span = tuple[float, float]
"""From and to, unix seconds."""


@dataclass(slots=True)
class GpuSamples:
    """What a run sampled of one GPU in some rows, the last sample before them included."""

    at: list[Floats] = field(default_factory=list)
    has_process: list[Any] = field(default_factory=list)
    """For each of `at`: whether a process of the run was on it."""
    power_at: list[Floats] = field(default_factory=list)
    watts: list[Floats] = field(default_factory=list)

    def spans(self, run: Run) -> dict[int, list[Span]]:
        """Return the stretches by the rank of the claim, each without overlaps."""
        if not self.at:
            return {}
        at, has_process = _in_order(self.at, self.has_process)
        begins, lengths = at[:-1], np.clip(np.diff(at), 0.0, SAMPLE_S)
        occupied = has_process[:-1] & (not run.is_host)
        found = {OCCUPIED: occupied, WATCHED if run.is_host else SEEN: ~occupied}
        return {
            rank: _merged(begins[some & (lengths > 0)], (begins + lengths)[some & (lengths > 0)])
            for rank, some in found.items()
        }

    def energy(self) -> "Energy":
        """Return what it drew."""
        return (
            Energy(*_in_order(self.power_at, self.watts))
            if self.power_at
            else Energy(np.array([]), np.array([]))
        )


class Energy:
    """Joules by time, of samples of power in order; each holds until the next, for SAMPLE_S at most."""

    def __init__(self, at: Floats, watts: Floats) -> None:
        ends = np.minimum(at + SAMPLE_S, np.append(at[1:], np.inf))
        self._x = np.stack([at, ends], axis=1).ravel()
        steps = np.stack([watts * (ends - at), np.zeros_like(at)], axis=1).ravel()
        self._y = np.append(0.0, np.cumsum(steps)[:-1]) if at.size else steps

    def within(self, span: Span) -> float:
        """Return the joules of a stretch."""
        if not self._x.size:
            return 0.0
        began, ended = np.interp(span, self._x, self._y)
        return float(ended - began)


def key_of(team: Team, uuid: str) -> str:
    """Return the name of a GPU among those of whoever pays."""
    payer = f"organization:{team.organization_id}" if team.organization_id else f"team:{team.pk}"
    return f"{payer} {uuid}"[:200]


class ClaimWriter:
    """Writes the claims of one run, and what others lose; lives for one transaction, which has locked the run."""

    def __init__(self, run: Run, gpu_s: dict[date, float], energy_j: dict[date, float]) -> None:
        self._run, self._gpu_s, self._energy_j = run, gpu_s, energy_j
        self._of = {
            "team_id": run.project.team_id, "project_id": run.project_id, "user_id": run.user_id, "run_id": run.pk,
        }  # fmt: skip
        self._gone: set[int] = set()
        self._new: list[GpuClaim] = []
        self._longer: list[GpuClaim] = []
        self._lost: dict[tuple[Any, ...], list[float]] = defaultdict(lambda: [0.0, 0.0])

    def claim(self, seen: Mapping[str, GpuSamples]) -> None:
        """Claim what is free of GPUs, or another's by a worse claim, and add it to what the run used."""
        locked_state()  # one at a time
        sampled = {gpu: (one.spans(self._run), one.energy()) for gpu, one in seen.items()}
        spans = [span for ranks, _ in sampled.values() for some in ranks.values() for span in some]
        if not spans:
            return
        since, until = min(span[0] for span in spans), max(span[1] for span in spans)
        known: dict[str, list[GpuClaim]] = {gpu: [] for gpu in sampled}
        rows = GpuClaim.objects.filter(
            gpu__in=sampled, ended_at__gte=since - _TOUCHING_S, began_at__lte=until
        )
        for row in rows.order_by("pk"):
            known[row.gpu].append(row)
        for gpu, (ranks, energy) in sorted(sampled.items()):
            for rank, some in sorted(ranks.items()):
                self._claim(gpu, rank, some, known[gpu], energy)
        self._write()

    def _claim(self, gpu: str, rank: int, spans: list[Span], claims: list[GpuClaim], energy: Energy) -> None:
        own = self._run.pk
        other_spans = [_span(one) for one in claims if one.run_id == own or one.rank <= rank]
        free = without(spans, other_spans)
        for other in [one for one in claims if one.run_id != own and one.rank > rank]:
            self._take(other, within(free, [_span(other)]), claims, energy)
        for day, span in _by_day(free):
            self._gpu_s[day] += span[1] - span[0]
            self._energy_j[day] += energy.within(span)
        for span in free:
            self._keep(gpu, rank, span, claims)

    def _take(self, other: GpuClaim, taken: list[Span], claims: list[GpuClaim], energy: Energy) -> None:
        """Take stretches from a claim, which leaves the parts around them."""
        if not taken:
            return
        whose = (other.team_id, other.project_id, other.user_id, other.run_id, other.rank == WATCHED)
        for day, span in _by_day(taken):
            lost = self._lost[(*whose, day)]
            lost[0] += span[1] - span[0]
            lost[1] += energy.within(span)
        self._drop(other, claims)
        for began_at, ended_at in without([_span(other)], taken):
            part = GpuClaim(
                gpu=other.gpu, rank=other.rank, team_id=other.team_id, project_id=other.project_id,
                user_id=other.user_id, run_id=other.run_id, began_at=began_at, ended_at=ended_at,
            )  # fmt: skip
            self._new.append(part)
            claims.append(part)

    def _keep(self, gpu: str, rank: int, span: Span, claims: list[GpuClaim]) -> None:
        """Write a stretch down, as the end of the one before where they touch."""
        for one in claims:
            is_same = all(getattr(one, name) == value for name, value in self._of.items())
            if is_same and one.rank == rank and abs(one.ended_at - span[0]) <= _TOUCHING_S:
                one.ended_at = span[1]
                if one not in self._new and one not in self._longer:
                    self._longer.append(one)
                return
        row = GpuClaim(gpu=gpu, rank=rank, **self._of, began_at=span[0], ended_at=span[1])
        self._new.append(row)
        claims.append(row)

    def _drop(self, claim: GpuClaim, claims: list[GpuClaim]) -> None:
        claims[:] = [one for one in claims if one is not claim]
        self._new = [one for one in self._new if one is not claim]
        if claim.pk is not None:
            self._gone.add(claim.pk)

    def _write(self) -> None:
        if self._gone:
            GpuClaim.objects.filter(pk__in=self._gone).delete()
        GpuClaim.objects.bulk_create(self._new)
        GpuClaim.objects.bulk_update(self._longer, ["ended_at"])
        HardwareShift.objects.bulk_create(_hardware_shift(whose, lost) for whose, lost in self._lost.items())


def _hardware_shift(whose: tuple[Any, ...], lost: list[float]) -> HardwareShift:
    """Return the correction that takes from a run; no more energy than it has: its samples may show less."""
    team_id, project_id, user_id, run_id, is_host, day = whose
    has = 0
    for ledger in (HardwareUse, HardwareShift):
        rows = ledger._default_manager.filter(run_id=run_id, day=day, is_host=is_host)
        has += rows.aggregate(sum=Coalesce(Sum("energy_j"), 0))["sum"]
    return HardwareShift(
        team_id=team_id, project_id=project_id, user_id=user_id, run_id=run_id, is_host=is_host, day=day,
        gpu_s=-round(lost[0]), energy_j=-min(round(lost[1]), max(has, 0)),
    )  # fmt: skip


def record_training(run: Run) -> None:
    """Count as a training's what a run used that seemed to watch a machine; part of the caller's transaction."""
    locked_state()
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])
    for ledger in (HardwareUse, HardwareShift):
        rows = ledger.objects.filter(run_id=run.pk, is_host=True)
        for *whose, gpu_s, energy_j in rows.values_list(
            "team_id", "project_id", "user_id", "day", "gpu_s", "energy_j"
        ):
            both = sums[tuple(whose)]
            both[0], both[1] = both[0] + gpu_s, both[1] + energy_j
    for (team_id, project_id, user_id, day), (gpu_s, energy_j) in sums.items():
        of = {"team_id": team_id, "project_id": project_id, "user_id": user_id, "run_id": run.pk, "day": day}
        HardwareShift.objects.create(**of, is_host=True, gpu_s=-gpu_s, energy_j=-energy_j)
        HardwareShift.objects.create(**of, is_host=False, gpu_s=gpu_s, energy_j=energy_j)
    GpuClaim.objects.filter(run_id=run.pk, rank=WATCHED).update(rank=SEEN)


# -- stretches of time -----------------------------------------------------------------------------------------------


def without(spans: Sequence[Span], taken: Iterable[Span]) -> list[Span]:
    """Return what is left of stretches, in order and without overlaps, when others are cut out."""
    left = list(spans)
    for began, ended in taken:
        left = [
            part
            for span in left
            for part in (
                [span] if ended <= span[0] or began >= span[1] else [(span[0], began), (ended, span[1])]
            )
            if part[1] > part[0]
        ]
    return left


def within(spans: Sequence[Span], others: Iterable[Span]) -> list[Span]:
    """Return the parts of stretches that lie in others."""
    found = [(max(span[0], other[0]), min(span[1], other[1])) for other in others for span in spans]
    return [span for span in found if span[1] > span[0]]


def _span(claim: GpuClaim) -> Span:
    return claim.began_at, claim.ended_at


def _by_day(spans: Iterable[Span]) -> Iterator[tuple[date, Span]]:
    """Yield stretches cut at midnight, UTC, each with its day."""
    for began, ended in spans:
        for number in range(int(began // DAY_S), int(ended // DAY_S) + 1):
            part = (max(began, number * DAY_S), min(ended, (number + 1) * DAY_S))
            if part[1] > part[0]:
                yield date(1970, 1, 1) + timedelta(days=number), part


def _in_order(at: Sequence[Floats], values: Sequence[Any]) -> tuple[Any, Any]:
    """Return samples of several places in the order of their time."""
    times = np.concatenate(at)
    order = np.argsort(times, kind="stable")
    return times[order], np.concatenate(values)[order]


def _merged(begins: Floats, ends: Floats) -> list[Span]:
    """Return stretches in order, those that touch as one."""
    if not begins.size:
        return []
    first = np.flatnonzero(np.append(True, begins[1:] > ends[:-1] + _TOUCHING_S))
    last = np.append(first[1:] - 1, begins.size - 1)
    return list(zip(begins[first].tolist(), ends[last].tolist(), strict=True))
