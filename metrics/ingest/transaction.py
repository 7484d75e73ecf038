"""The transaction of a group of posts: lock their runs, place what they bring, write it, answer.

What posts change in runs themselves is applied by `runs.ingest.posts`: first `lock_runs`, last `apply_posts`. All
between is the metric store's.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from common.errors import Conflict, DomainError, Gone
from metrics.ingest import listeners
from metrics.ingest.logs import LogWriter
from metrics.ingest.points import PointWriter
from metrics.ingest.post import NumberedPost, Post
from metrics.models import StreamKind
from runs.ingest.posts import LockedRun, apply_posts, lock_runs
from runs.models import Run
from runs.states import ACTIVE


class GapError(Conflict):
    """Lines are missing before those of a numbered post."""

    code = "gap"

    def __init__(self, expected: dict[str, int]) -> None:
        super().__init__(
            "Lines are missing before these. Send from `expected` on, or say that they were lost."
        )
        self.detail = {"expected": expected}


@dataclass(frozen=True, slots=True)
class Ack:
    """What the client and open pages learn once a post is committed."""

    run_id: int
    stopped: bool
    grown: dict[str, int]
    """How many rows of "history" and "system" and lines of "log" there are now, of those that the post brought."""
    state: str = ""
    """The run's; this and what follows only of numbered posts."""
    offsets: dict[str, int] = field(default_factory=dict)
    """After the writer's last lines, by kind."""


Answers = list[Ack | DomainError]


def write_group(posts: Sequence[Post]) -> Answers:
    """Commit a group of posts; returns for each what was stored or why not, in order.

    Raises:
        DatabaseError: nothing of the group was stored.
    """
    with transaction.atomic():
        answers, after_commit = _write(posts)
    after_commit()
    return answers


def check_storable(post: Post) -> None:
    """Write a post and take it back.

    Raises:
        Exception: what writing it raises.
    """
    with transaction.atomic():
        _write([post])
        transaction.set_rollback(True)


def _write(posts: Sequence[Post]) -> tuple[Answers, Callable[[], None]]:
    """Return the answers, and what to call after the commit."""
    runs = lock_runs({post.run_id for post in posts})
    at = timezone.now()
    answers: Answers = [Gone("This run was deleted; nothing more is stored for it.")] * len(posts)
    alive = {
        number: post
        for number, post in enumerate(posts)
        if post.run_id in runs and not runs[post.run_id].is_deleted
    }
    if not alive:
        return answers, lambda: None
    _leave_out_recorded(alive.values())
    points = PointWriter({post.run_id for post in alive.values() if post.is_placed}, at)
    logs = LogWriter(
        points.ranges, {post.run_id for post in alive.values() if post.log_lines or post.numbered}
    )
    points.prepare_keys(
        (post.run_id, kind, lines)
        for post in alive.values()
        for kind, lines in ((StreamKind.HISTORY, post.history), (StreamKind.SYSTEM, post.system))
    )
    placed: dict[int, Post] = {}
    for number, post in alive.items():
        try:
            _place(post, points, logs)
            placed[number] = post
        except GapError as error:
            answers[number] = error
    remember_keysets = points.flush()
    apply_posts([post.run for post in placed.values()], runs, at, set_aside=points.set_aside)
    runs |= lock_runs({post.run_id for post in placed.values() if post.numbered})  # states may have moved
    for number, post in placed.items():
        answers[number] = _ack(post, runs[post.run_id], points, logs)

    def after_commit() -> None:
        remember_keysets()
        listeners.notify(points.written)

    return answers, after_commit


def _leave_out_recorded(posts: Collection[Post]) -> None:
    """Leave out what the agent sends, too, of a run that is its own (`runs.lifecycle.wrapped_commands`)."""
    wrapped = {post.run_id for post in posts if post.recorded}
    if not wrapped:
        return
    rows = Run.objects.filter(pk__in=wrapped).values_list("pk", "uid", "alias__uid")
    ids = {pk: {uid, former} for pk, uid, former in rows}
    for post in posts:
        if post.recorded and post.wrapper in ids.get(post.run_id, ()):
            post.system = None if "system" in post.recorded else post.system
            post.log_lines = [] if "console" in post.recorded else post.log_lines


def _place(post: Post, points: PointWriter, logs: LogWriter) -> None:
    """Place a post's lines.

    Raises:
        GapError: lines are missing before it; nothing of it is placed.
    """
    post.run.has_history = bool(post.history and post.history.rows)
    if post.numbered is not None:
        _place_numbered(post, post.numbered, points, logs)
        return
    began = replayed = False
    if post.history is not None:
        placer = points.write(post.run_id, StreamKind.HISTORY, post.writer, post.history)
        began, replayed = placer.began_lifetime, placer.replayed
    if post.system is not None:
        began |= points.write(post.run_id, StreamKind.SYSTEM, post.writer, post.system).began_lifetime
    if began:
        logs.close_lifetime(post.run_id, post.writer)
    if post.log_lines:
        post.run.log = logs.write(post, is_replay=replayed and not began)


def _place_numbered(post: Post, numbered: NumberedPost, points: PointWriter, logs: LogWriter) -> None:
    ends = points.ends(post.run_id, post.writer)
    if any(offset > ends[kind] and kind not in numbered.lost for kind, offset in post.offsets.items()):
        raise GapError(_offsets_by_label(ends))
    if post.history is not None:
        points.write_numbered(post.run_id, StreamKind.HISTORY, post.writer, post.history)
    if post.system is not None:
        points.write_numbered(post.run_id, StreamKind.SYSTEM, post.writer, post.system)
    post.run.log = logs.write_numbered(post)
    bad = [(row.kind.label, row.text, row.reason) for row in numbered.bad if row.offset >= ends[row.kind]]
    post.run.bad_lines = bad + numbered.set_aside


def _offsets_by_label(ends: Mapping[StreamKind, int]) -> dict[str, int]:
    return {str(kind.label): end for kind, end in ends.items()}


def _ack(post: Post, run: LockedRun, points: PointWriter, logs: LogWriter) -> Ack:
    grown = {}
    if post.history is not None:
        grown["history"] = points.next_row(post.run_id, StreamKind.HISTORY)
    if post.system is not None:
        grown["system"] = points.next_row(post.run_id, StreamKind.SYSTEM)
    if post.log_lines:
        grown["log"] = logs.ends[post.run_id]
    return Ack(
        run_id=post.run_id,
        stopped=run.stop_requested and run.state in ACTIVE,
        grown=grown,
        state=run.state if post.numbered else "",
        offsets=_offsets_by_label(points.ends(post.run_id, post.writer)) if post.numbered else {},
    )
