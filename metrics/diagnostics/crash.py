"""What a run that ended badly was doing: its last words, memory and GPUs, and a hint at the cause (wish 7)."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from django.utils.translation import gettext as _

from metrics.models import StreamKind
from metrics.store import reads, row_blocks
from metrics.store.codec import Floats
from metrics.store.key_stats import KeyStats
from runs.logs.blocks import last_lines, log_lines_between
from runs.logs.console_lines import read_line
from runs.logs.search import displayed_text
from runs.models import Run
from runs.secrets.masking import mask_lines
from runs.states import RunState

TAIL_LINES = 400
SHOWN_LINES = 40
SAMPLES = 60
"""System samples looked at: a quarter of an hour at the SDK's usual pace."""
FULL_PERCENT = 95.0
BAD_ENDS = frozenset({RunState.FAILED, RunState.CRASHED})
_WATCHED = re.compile(
    r"(?P<host>(?:system\.)?(?:memory|memory_percent))$|(?:system\.)?(?P<gpu>gpu\.\d+)\.(?P<what>memoryAllocated|gpu|temp)$"
)
_GPU_MEMORY = re.compile(
    r"CUDA out of memory|CUDA error: out of memory|OutOfMemoryError: (?:CUDA|HIP)|HIP out of memory|"
    r"CUBLAS_STATUS_ALLOC_FAILED|RESOURCE_EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY"
)
_HOST_MEMORY = re.compile(
    r"\bMemoryError\b|std::bad_alloc|Cannot allocate memory|oom-kill|Out of memory: Killed process|DefaultCPUAllocator"
)
_DISK = re.compile(r"No space left on device|Disk quota exceeded")
_NETWORK = re.compile(
    r"NCCL (?:error|WARN)|ncclSystemError|ncclRemoteError|Watchdog caught collective operation timeout|"
    r"Connection (?:reset|closed) by peer"
)
_SHARED = re.compile(r"Bus error|insufficient shared memory|DataLoader worker .{0,80}killed by signal")
_EXCEPTION = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning|Failure|Timeout)\b(?:: .*)?$"
)


@dataclass(frozen=True, slots=True)
class Hint:
    """A possible cause."""

    title: str
    text: str
    quote: str = ""
    """The line of the log that says so."""
    is_exception: bool = False
    """Whether nothing is known but the exception, which is in the quote."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The last values of one system metric, percent or degrees."""

    label: str
    last: float
    unit: str
    points: str
    """Of an SVG polyline, 100 wide and 24 high."""
    is_full: bool


@dataclass(slots=True)
class Diagnosis:
    """What the card shows."""

    hints: list[Hint] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    first_line: int = 0
    samples: list[Sample] = field(default_factory=list)
    signal: str = ""


def _signal_of(exit_code: int | None) -> str:
    signals = {1: "SIGHUP", 2: "SIGINT", 4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL",
               11: "SIGSEGV", 13: "SIGPIPE", 15: "SIGTERM"}  # fmt: skip
    if exit_code is None:
        return ""
    number = -exit_code if exit_code < 0 else exit_code - 128
    return signals.get(number, "")


def _polyline(values: Floats, top: float) -> str:
    known = values[np.isfinite(values)]
    xs = np.linspace(0, 100, max(2, known.size))
    if known.size == 1:
        known = np.repeat(known, 2)
    return " ".join(
        f"{x:.1f},{23 - 22 * min(1.0, max(0.0, y / top)):.1f}" for x, y in zip(xs, known, strict=True)
    )


def _sample(key: str, values: Floats) -> Sample | None:
    match = _WATCHED.match(key)
    finite = values[np.isfinite(values)]
    if match is None or not finite.size:
        return None
    last = float(finite[-1])
    if match["host"]:
        return Sample(_("Memory"), last, "%", _polyline(values, 100), last >= FULL_PERCENT)
    card = match["gpu"].replace("gpu.", "GPU ")
    label, unit = {
        "memoryAllocated": (_("%(card)s memory"), "%"), "gpu": (_("%(card)s use"), "%"), "temp": (_("%(card)s"), "°C"),
    }[match["what"]]  # fmt: skip
    is_full = match["what"] == "memoryAllocated" and last >= FULL_PERCENT
    return Sample(label % {"card": card}, last, unit, _polyline(values, 100), is_full)


def last_samples(run_id: int) -> list[Sample]:
    """Return the last memory and GPU samples of the run's system metrics; at most twelve."""
    row_from = max(0, reads.cursor(run_id, StreamKind.SYSTEM) - SAMPLES)
    parts = list(row_blocks.blocks(run_id, StreamKind.SYSTEM, row_from=row_from))
    stats: dict[str, KeyStats] = {}
    for part in parts:
        stats |= part.key_stats().stats()
    keys = sorted(key for key in stats if _WATCHED.match(key))
    columns = reads.columns(parts, keys)
    found = [_sample(key, columns[key].values) for key in keys]
    seen = [sample for sample in found if sample is not None]
    return sorted(seen, key=lambda sample: (not sample.is_full, sample.unit, sample.label))[:12]


def _quoted(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    return next((line.strip() for line in reversed(lines) if pattern.search(line)), "")


def _by_log(lines: Sequence[str]) -> list[Hint]:
    causes = [
        (_GPU_MEMORY, _("Out of GPU memory"),
         _("Try a smaller batch, shorter sequences, mixed precision or gradient checkpointing.")),
        (_HOST_MEMORY, _("Out of host memory"),
         _("The machine’s memory was full. Load less data at once, or use fewer workers.")),
        (_DISK, _("The disk is full"), _("Free some space, or write checkpoints elsewhere.")),
        (_SHARED, _("A data loader died"),
         _("Often too little shared memory: give the container more /dev/shm, or use fewer workers.")),
        (_NETWORK, _("Communication between processes failed"),
         _("Often another process ended first. Check the logs of the other nodes.")),
    ]  # fmt: skip
    hints = []
    for pattern, title, text in causes:
        if quote := _quoted(pattern, lines):
            hints.append(Hint(title, text, quote[:500]))
    if not hints and (quote := _quoted(_EXCEPTION, lines)):
        text = _("The last line of the traceback:")
        hints.append(Hint(_("Ended by an exception"), text, quote[:500], is_exception=True))
    return hints


def _by_end(run: Run, signal: str, samples: Sequence[Sample]) -> list[Hint]:
    hints = []
    full = next((sample for sample in samples if sample.is_full and sample.label == _("Memory")), None)
    if full is not None:
        hints.append(
            Hint(
                _("The host’s memory was nearly full"),
                _("%(percent)s%% in the last sample: the system may have killed the process.")
                % {"percent": f"{full.last:.1f}"},
            )
        )
    if signal == "SIGKILL":
        hints.append(
            Hint(
                _("Killed from outside"),
                _(
                    "The kernel sends SIGKILL when memory runs out, and schedulers send it at the end "
                    "of a time limit."
                ),
            )
        )
    elif signal in {"SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE"}:
        hints.append(
            Hint(
                _("Native code failed (%(signal)s)") % {"signal": signal},
                _("A library or driver ended the process; PYTHONFAULTHANDLER=1 shows where."),
            )
        )
    if run.state == RunState.CRASHED and run.exit_code is None:
        hints.append(
            Hint(
                _("Connection lost"),
                _(
                    "The process did not report its end: the host went down, the process was killed, or "
                    "the network was lost. If it is still running, the run will recover automatically."
                ),
            )
        )
    return hints


def diagnose(run: Run, *, revealed: bool) -> Diagnosis | None:
    """Return what is known of a bad end, None for runs that did not end badly; ``run`` has its pulse loaded."""
    if run.state not in BAD_ENDS:
        return None
    total = run.pulse.log_lines
    start = max(0, total - TAIL_LINES)
    raws = log_lines_between(run.pk, start, total)
    shown = raws if revealed else mask_lines(raws)[0]
    texts = [read_line(raw).text for raw in shown if raw is not None]
    plain = _plain(texts)
    samples, signal = last_samples(run.pk), _signal_of(run.exit_code)
    hints = [*_by_log(plain), *_by_end(run, signal, samples)]
    return Diagnosis(hints, texts[-SHOWN_LINES:], max(1, total - SHOWN_LINES + 1), samples, signal)


def _plain(texts: Sequence[str]) -> list[str]:
    return list(map(partial(displayed_text, raw=False), texts))


def causes_of(runs: Collection[Run]) -> dict[int, str]:
    """Return the likeliest cause of each bad end in a few words, by the last lines of its log; one query.

    The runs have their pulse loaded; of those that ended well nothing is said.
    """
    bad = [run for run in runs if run.state in BAD_ENDS]
    tails = last_lines({run.pk: run.pulse.log_lines for run in bad}, SHOWN_LINES)
    causes = {}
    for run in bad:
        texts = [read_line(raw).text for raw in mask_lines(tails[run.pk])[0] if raw is not None]
        plain = _plain(texts)
        hints = _by_log(plain) or _by_end(run, _signal_of(run.exit_code), [])
        if hints:
            causes[run.pk] = hints[0].quote if hints[0].is_exception else hints[0].title
    return causes
