"""The bulk part of ingest: what a group of posts changes in runs, in the group's one transaction.

`metrics.ingest.committer` has checked who posts. Statements here are few and fixed, because a group commit holds up to
256 posts; the hot ones are written by hand (an ORM update costs ten times its SQL).
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson
from django.db import connection
from django.db.models import F

from common.database.sql import execute_in, execute_many
from common.formats.lenient_json import clean_text, read_lenient
from runs.config.flatten import flat_config, summary_of, wrap_config
from runs.config.redaction import redacted_config
from runs.config.width import excess_of_text
from runs.ingest.bad_lines import MAX_TEXT
from runs.lifecycle import writers
from runs.lifecycle.host_runs import has_values, mark_as_training
from runs.lifecycle.services import finish_run, revive_run
from runs.logs.blocks import LogLines, write_logs
from runs.models import BadLine, Pulse, Run
from runs.states import RunState

SetAside = tuple[int, str, str, str]
"""(run id, kind, text, reason) of a line."""


@dataclass(slots=True)
class RunPost:
    """What one post says of its run besides points."""

    run_id: int
    summary_text: str | None = None
    summary_flat: str = "{}"
    """JSON of the summary's projection."""
    writer: str = ""
    """The ID of the process, if others log this run too, so that the summary has this one's keys only."""
    log: list[LogLines] = field(default_factory=list)
    bad_lines: list[tuple[str, str, str]] = field(default_factory=list)
    """(kind, text, reason)"""
    preempting: bool = False
    exit_code: int | None = None
    """Given when the run is complete."""
    ended_at: datetime | None = None
    """When it was, by the client's word."""
    config: dict[str, Any] | None = None
    """The user's configuration, whole."""
    has_history: bool = False
    """Whether it brings rows of history."""
    is_attached: bool = False
    """Whether something else logs the run, so that this is no sign of its life."""

    @property
    def is_shared(self) -> bool:
        """Whether other processes log this run, too."""
        return bool(self.writer)


@dataclass(frozen=True, slots=True)
class LockedRun:
    """What the ingest must know of a run before it writes."""

    state: str
    is_deleted: bool
    stop_requested: bool
    is_host: bool = False
    """Whether it has only watched a machine so far."""


def lock_runs(run_ids: Iterable[int]) -> dict[int, LockedRun]:
    """Lock the runs that exist until the transaction ends, as ``Run.objects.locked()``; return their present state."""
    rows = execute_in(
        "SELECT id, state, deleted_at IS NOT NULL, stop_requested_at IS NOT NULL, is_host FROM runs_run WHERE id IN",
        list(run_ids),
        "ORDER BY id" + (" FOR NO KEY UPDATE" if connection.features.has_select_for_no_key_update else ""),
    )
    return {
        pk: LockedRun(state, bool(deleted), bool(stop), bool(host)) for pk, state, deleted, stop, host in rows
    }


def _latest_summaries(posts: Sequence[RunPost]) -> tuple[dict[int, tuple[str, str]], list[SetAside]]:
    """Return each run's summary and its flat form as JSON, and those of which a run would have too many values.

    Processes that share a run each bring keys of their own.
    """
    shared = {post.run_id for post in posts if post.is_shared and post.summary_text is not None}
    query = "SELECT run_id, summary_text FROM runs_pulse WHERE run_id IN"
    stored: dict[int, str] = dict(execute_in(query, list(shared)) if shared else ())
    latest: dict[int, tuple[str, str]] = {}
    refused: list[SetAside] = []
    for post in posts:
        if post.summary_text is None:
            continue
        if post.is_shared:
            known = latest[post.run_id][0] if post.run_id in latest else stored.get(post.run_id, "{}")
            merged = _merged(known, post.summary_text)
            if reason := excess_of_text(merged):
                refused.append((post.run_id, "summary", post.summary_text[:MAX_TEXT], reason))
            else:
                latest[post.run_id] = summary_of(merged)
        else:
            latest[post.run_id] = post.summary_text, post.summary_flat
    return latest, refused


_IS_LATER = {
    "sqlite": """(COALESCE(json_extract(summary_flat, '$._timestamp') > %s, 0)
        AND COALESCE(json_extract(summary_flat, '$._step') > %s, 0))""",
    "postgresql": """(COALESCE(summary_flat->'_timestamp' > to_jsonb(%s::float8), false)
        AND COALESCE(summary_flat->'_step' > to_jsonb(%s::float8), false))""",
}
"""That the summary there is of a later line, perhaps: values of other types than numbers may be greater, too."""


def _place(flat: str) -> tuple[float, float]:
    """Return time and step of a summary's last line; NaN, which is neither before nor after, where it has none."""
    summary = orjson.loads(flat)
    time, step = (summary.get(key) for key in ("_timestamp", "_step"))
    return time if type(time) in _NUMBERS else math.nan, step if type(step) in _NUMBERS else math.nan


def _completed(rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return what is to be written of summaries of which a later one may be there already.

    Such a summary is of an earlier part that is sent later, as of two offline parts of a run of which the second was
    synced first. Only what the later one does not say is taken over from it.
    """
    stored = dict(
        execute_in(
            "SELECT run_id, summary_text FROM runs_pulse WHERE run_id IN", [run_id for *_, run_id in rows]
        )
    )
    completed = []
    for beat, text, flat, run_id in rows:
        known_text, known_flat = summary_of(stored[run_id])
        (time, step), (known_time, known_step) = _place(flat), _place(known_flat)
        if time < known_time and step < known_step:
            completed.append((beat, *summary_of(json.dumps(_tree(text) | _tree(known_text))), run_id))
        else:
            completed.append((beat, text, flat, run_id))
    return completed


def _tree(text: str) -> dict[str, Any]:
    tree = read_lenient(text or "{}")
    return tree if isinstance(tree, dict) else {}


def _merged(known: str, text: str) -> str:
    """Join summaries of two processes: the later value counts, but the clock is that of whoever is further."""
    before, after = _tree(known), _tree(text)
    joined = before | after
    own, other = before.get("_wandb"), after.get("_wandb")
    if isinstance(own, dict) and isinstance(other, dict):
        joined["_wandb"] = own | other | _furthest(own, other, ("runtime",))
    return json.dumps(joined | _furthest(before, after, _CLOCK))


_CLOCK = ("_step", "_runtime", "_timestamp")
_NUMBERS = (int, float)


def _furthest(before: dict[str, Any], after: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Return the greater of two numbers under each key that is a number in both."""
    pairs: dict[str, tuple[Any, Any]] = {key: (before.get(key), after.get(key)) for key in keys}
    return {key: max(pair) for key, pair in pairs.items() if all(type(one) in _NUMBERS for one in pair)}


def _write_pulses(posts: Sequence[RunPost], at: datetime) -> list[SetAside]:
    """Note the sign of life of each run, and its latest summary if one came; one write of its row.

    Returns what cannot become part of a summary.
    """
    beat = connection.ops.adapt_datetimefield_value(at)
    latest, refused = _latest_summaries(posts)
    cast = "%s::jsonb" if connection.vendor == "postgresql" else "%s"
    write = (
        f"UPDATE runs_pulse SET heartbeat_at = %s, summary_text = %s, summary_flat = {cast} WHERE run_id = %s"  # noqa: S608
    )
    rows = [(beat, *summary, run_id) for run_id, summary in sorted(latest.items())]
    unless_later = f"{write} AND NOT {_IS_LATER[connection.vendor]}"
    if execute_many(unless_later, [(*row, *_place(latest[row[-1]][1])) for row in rows]) < len(rows):
        execute_many(write, _completed(rows))
    others = sorted({post.run_id for post in posts} - latest.keys())
    execute_many("UPDATE runs_pulse SET heartbeat_at = %s WHERE run_id = %s", [(beat, pk) for pk in others])
    return refused


def _write_configs(posts: Sequence[RunPost], at: datetime) -> None:
    latest = {post.run_id: post.config for post in posts if post.config is not None}
    if not latest:
        return
    stored = Run.objects.only("config_text", "redacted_keys").in_bulk(list(latest))
    now = connection.ops.adapt_datetimefield_value(at)
    rows = []
    for run_id, config in sorted(latest.items()):
        run = stored[run_id]
        text = redacted_config(wrap_config(config, run.config_text), run.redacted_keys)
        rows.append((text, json.dumps(flat_config(text)), now, run_id))
    cast = "%s::jsonb" if connection.vendor == "postgresql" else "%s"
    execute_many(
        f"UPDATE runs_run SET config_text = %s, config_flat = {cast}, updated_at = %s WHERE id = %s",  # noqa: S608
        rows,
    )


def _write_bad_lines(lines: Sequence[SetAside]) -> None:
    BadLine.objects.bulk_create(
        BadLine(run_id=run_id, kind=kind, text=clean_text(text[:MAX_TEXT]), reason=reason[:300])
        for run_id, kind, text, reason in lines
    )
    for run_id, count in Counter(run_id for run_id, *_ in lines).items():
        Pulse.objects.filter(run_id=run_id).update(bad_lines=F("bad_lines") + count)


def _update_states(posts: Sequence[RunPost], now: dict[int, LockedRun], at: datetime) -> None:
    for post in posts:
        state = now[post.run_id].state
        if post.preempting:
            revive_run(run_id=post.run_id, at=at, preempting=True)
        if post.exit_code is not None:
            if post.is_shared and not writers.note_end(post.run_id, post.writer):
                continue
            finish_run(run_id=post.run_id, exit_code=post.exit_code, at=at, claimed_at=post.ended_at)
        elif not post.preempting and state in {RunState.CRASHED, RunState.PREEMPTED, RunState.PENDING}:
            revive_run(run_id=post.run_id, at=at)


def _find_trainings(posts: Sequence[RunPost], now: dict[int, LockedRun]) -> None:
    """Take runs that watched a machine for trainings as soon as they say anything else."""
    training_ids = {post.run_id for post in posts if now[post.run_id].is_host and _is_training(post)}
    for run in (
        Run.objects.locked().select_related("project__team").filter(pk__in=training_ids)
        if training_ids
        else ()
    ):
        mark_as_training(run)


def _is_training(post: RunPost) -> bool:
    return (
        post.has_history
        or bool(post.log)
        or (post.summary_text is not None and has_values(post.summary_flat))
    )


def apply_posts(
    posts: Sequence[RunPost],
    now: dict[int, LockedRun],
    at: datetime,
    *,
    set_aside: Sequence[SetAside] = (),
) -> None:
    """Write a group's heartbeats, summaries, configurations, logs and state changes.

    Args:
        posts: In the order they came; several may be of one run. All their runs are in ``now``.
        now: What ``lock_runs`` answered in this transaction.
        at: The group's time, UTC.
        set_aside: Lines of the posts that could be read and not stored.
    """
    alive = [post for post in posts if not post.is_attached]
    summaries = _write_pulses(alive, at)  # before states: hooks read what a run's last post says of it
    write_logs(
        (post.run_id, lines) for post in posts for lines in post.log
    )  # and settle a run that ends with its last lines
    _find_trainings(posts, now)  # before states, whose hooks ask
    _update_states(alive, now, at)
    _write_configs(posts, at)
    read = [(post.run_id, *line) for post in posts for line in post.bad_lines]
    _write_bad_lines([*read, *set_aside, *summaries])
