"""History, system metrics and console log of a run."""

import json
import math
from typing import Any, TypeVar

from common.errors import Invalid
from common.formats.lenient_json import clean_text, read_lenient
from common.formats.strict_json import strict
from metrics.models import StreamKind
from metrics.series import history_rows
from metrics.store import reads
from runs.logs.blocks import log_lines_between
from runs.logs.console_lines import read_line
from runs.models import Run
from runs.secrets.masking import mask_lines, mask_tree
from storage.signed_urls.tickets import get_path
from wandb_api.graphql.bindings import run_type
from wandb_api.graphql.context import Info
from wandb_api.graphql.cost_budget import Budget
from wandb_api.graphql.history_scans import begins_scan, expect_scan
from wandb_api.graphql.limit_values import MAX_SPECS
from wandb_api.graphql.masking import reads_exactly, shown_json
from wandb_api.graphql.pagination import number_of

_SAMPLES = 500
_MAX_LOG_PAGE = 10_000
T = TypeVar("T")


def _last_line(run: dict[str, Any], kind: StreamKind) -> str | None:
    line: str | None = run["siblings"].ask(reads.last_lines, kind).get(run["row"].pk)
    return line


def _tail(run: dict[str, Any], info: Info, kind: StreamKind) -> str:
    return json.dumps([shown_json(run, info, _last_line(run, kind) or "{}")])


@run_type.field("historyTail")
def resolve_history_tail(run: dict[str, Any], info: Info) -> str:
    """Return the last row as a JSON list of one JSON string, an empty one where there is none.

    An empty list breaks SDKs that resume: the legacy sender calls ``get`` of it, older cores take its first item.
    Source: wandb/sdk/internal/sender.py, `SendManager._setup_resume`.
    """
    return _tail(run, info, StreamKind.HISTORY)


@run_type.field("eventsTail")
def resolve_events_tail(run: dict[str, Any], info: Info) -> str:
    """Return the last row of system metrics, as `historyTail` does."""
    return _tail(run, info, StreamKind.SYSTEM)


@run_type.field("systemMetrics")
def resolve_system_metrics(run: dict[str, Any], info: Info) -> str:
    """Return the last row of system metrics."""
    return shown_json(run, info, _last_line(run, StreamKind.SYSTEM) or "{}")


@run_type.field("historyKeys")
def resolve_history_keys(run: dict[str, Any], info: Info) -> dict[str, Any] | None:
    """Return what was logged under which key, and the last step."""
    run_id, siblings = run["row"].pk, run["siblings"]
    expect_scan(info, run_id)
    stats = siblings.ask(reads.key_stats, StreamKind.HISTORY).get(run_id)
    if not stats:
        return None
    shown = _exact if reads_exactly(run, info) else _masked
    keys = {
        key: {
            "typeCounts": [{"type": stat.type, "count": stat.count}],
            "previousValue": strict(shown(key, stat.last)),
        }
        for key, stat in stats.items()
    }
    return {"sets": [], "keys": keys, "lastStep": siblings.ask(reads.last_steps)[run_id]}


def _exact(_key: str, value: T) -> T:
    return value


def _masked(key: str, value: T) -> T:
    masked: T = mask_tree(value, (key,))[0]
    return masked


@run_type.field("history")
def resolve_history(
    run: dict[str, Any],
    info: Info,
    *,
    minStep: int | None = None,
    maxStep: int | None = None,
    samples: int | None = None,
) -> list[str]:
    """Return rows as JSON strings: a range of steps whole and strict, or a sample as written."""
    run_id, meter = run["row"].pk, info.context.budget
    if minStep is None and maxStep is None:
        rows = history_rows.sampled(run_id, StreamKind.HISTORY, max(1, samples or _SAMPLES), meter=meter)
        return [shown_json(run, info, reads.json_line(row)) for row in rows]
    high = math.inf if maxStep is None else math.nextafter(maxStep, -math.inf)  # maxStep itself is left out
    rows = history_rows.between(run_id, minStep or 0, high, meter=meter)
    return [shown_json(run, info, reads.json_line(strict(row))) for row in rows]


@run_type.field("events")
def resolve_events(run: dict[str, Any], info: Info, *, samples: int | None = None) -> list[str]:
    """Return a sample of system metrics as JSON strings."""
    count = max(1, samples or _SAMPLES)
    rows = history_rows.sampled(run["row"].pk, StreamKind.SYSTEM, count, meter=info.context.budget)
    return [reads.json_line(row) for row in rows]


def _sampled(run_id: int, text: str, budget: Budget) -> list[dict[str, Any]]:
    try:
        spec = read_lenient(text)
        if spec == {}:  # what the SDK's commands for sweeps send, who want no history
            return []
        keys = history_rows.keys_of(map(str, spec["keys"]))
        low, high = (None if spec.get(name) is None else float(spec[name]) for name in ("minStep", "maxStep"))
        samples = max(1, int(spec.get("samples") or _SAMPLES))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise Invalid(
            f"“{clean_text(text[:200])}” isn’t a valid spec: a JSON object with a list `keys` is expected, and"
            " numbers as `samples`, `minStep`, `maxStep`."
        ) from None
    if low is None and high is None:
        rows = history_rows.sampled(run_id, StreamKind.HISTORY, samples, keys, budget)
    else:
        bounds = (-math.inf if low is None else low, math.inf if high is None else high)
        rows = history_rows.between(run_id, *bounds, keys, budget)
    return [strict(row) for row in rows]


@run_type.field("sampledHistory")
def resolve_sampled_history(run: dict[str, Any], info: Info, specs: list[str]) -> list[list[dict[str, Any]]]:
    """Return one list of rows per spec."""
    if len(specs) > MAX_SPECS:
        raise Invalid(f"At most {MAX_SPECS} specs can be asked for at once, not {len(specs)}; ask in parts.")
    found = [_sampled(run["row"].pk, spec, info.context.budget) for spec in specs]
    if reads_exactly(run, info):
        return found
    return [[_masked("", row) for row in one] for one in found]


@run_type.field("parquetHistory")
def resolve_parquet_history(run: dict[str, Any], info: Info, **_: Any) -> dict[str, Any]:
    """Return signed URLs of the files of an ended run's history, or say that all of it is read live.

    A scan reads live what files would change; a download (`wandb_api.graphql.history_scans`) gets a file of any ended
    run.
    """
    from metrics.downloads import (  # pyarrow: half a second and 50 MB, only where somebody wants it
        formats,
        sdk_parquet,
    )

    row: Run = run["row"]
    is_scan, is_exact = begins_scan(info, row.pk), reads_exactly(run, info)
    blobs = (
        sdk_parquet.history_files(row) if is_exact else []
    )  # they hold what was logged; read live, rows are masked
    is_complete = bool(blobs) or not (is_scan or row.is_active)
    if is_complete and not blobs:
        blobs = sdk_parquet.full_files(row, revealed=is_exact)
    urls = [
        info.context.absolute(
            get_path(
                blob, name=f"{row.uid}-{number}.parquet", content_type=formats.CONTENT_TYPE, download=True
            )
        )
        for number, blob in enumerate(blobs)
    ]
    return {"parquetUrls": urls, "liveData": [] if is_complete else [{"_step": 0}]}


@run_type.field("logLines")
def resolve_log_lines(
    run: dict[str, Any],
    info: Info,
    *,
    first: int | None = None,
    after: str | None = None,
    last: int | None = None,
    **_: Any,
) -> dict[str, Any]:
    """Return a page of console lines, or the last ones."""
    total = int(run["logLineCount"])
    if last is not None:
        start, stop = max(0, total - min(last, _MAX_LOG_PAGE)), total
    else:
        seen = number_of(after)
        start = 0 if seen is None else seen + 1
        stop = min(total, start + min(first or 1000, _MAX_LOG_PAGE))
    lines = log_lines_between(run["row"].pk, start, stop)
    if not reads_exactly(run, info):
        lines = mask_lines(lines)[0]
    nodes = []
    for number, raw in enumerate(lines, start):
        if raw is not None:
            line = read_line(raw)
            at = f"{line.at}Z" if line.at else None
            node = {"number": number, "timestamp": at, "level": line.level, "label": None, "line": line.text}
            nodes.append(node)
    end = str(stop - 1) if stop > start else None
    return {
        "edges": [{"node": node} for node in nodes],
        "pageInfo": {"endCursor": end, "hasNextPage": stop < total},
    }
