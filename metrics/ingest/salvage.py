"""A post that can never be stored: what of it is at fault is found and set aside, and the rest is kept.

A client sends again what was answered 503, and nothing else before that got through. So an answer that says *send it
again* must not come twice for the same post unless the database is away: the second time, the post is written in parts
and taken back until the rows are known that fail for themselves alone.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from common.database.sql import is_lasting
from metrics.ingest.post import BadRow, Post, PostedRows
from metrics.models import StreamKind

Check = Callable[[Post], None]
"""Writes a post and takes it back; raises what writing raises."""

_MOST_CHECKS = 400
"""Of one part; what is then still unknown is set aside."""
_REMEMBERED = 1000
_failed: OrderedDict[tuple[object, ...], None] = OrderedDict()

_HISTORY, _SYSTEM, _LOG, _SUMMARY, _CONFIG = PARTS = ("history", "system", "log", "summary", "config")


def has_failed_before(post: Post, error: Exception) -> bool:
    """Record that a post failed; say whether it did before, for a reason that lasts."""
    if not is_lasting(error):
        return False
    counts = [len(_items(post, part)) for part in PARTS]
    post_key = (post.run_id, post.writer, *post.offsets.items(), *counts, hash(post.run.summary_text))
    is_known = post_key in _failed
    _failed[post_key] = None
    while len(_failed) > _REMEMBERED:
        _failed.popitem(last=False)
    return is_known


def without_poison(post: Post, error: Exception, check: Check) -> Post:
    """Return the post with what cannot be stored emptied and set aside, so that all numbers hold.

    Raises:
        Exception: not what the post brings is at fault.
    """
    check(_reduced(post, {}))
    sizes = {part: len(_items(post, part)) for part in PARTS}
    bad = {part: _Search(post, part, check).bad(range(size)) for part, size in sizes.items() if size}
    kept = _reduced(post, {part: set(range(size)) - set(bad.get(part, ())) for part, size in sizes.items()})
    reason = f"could not be stored: {type(error).__name__}: {error}"
    for part, numbers in bad.items():
        items = _items(post, part)
        for number in numbers:
            _set_aside(kept, part, number, json.dumps(items[number]), reason)
    return kept


class _Search:
    """Finds by halves what fails of a part."""

    def __init__(self, post: Post, part: str, check: Check) -> None:
        self._post, self._part, self._check = post, part, check
        self._left = _MOST_CHECKS

    def _passes(self, numbers: range) -> bool:
        self._left -= 1
        try:
            self._check(_reduced(self._post, {self._part: numbers}))
        except Exception as error:
            if not is_lasting(error):
                raise
            return False
        return True

    def bad(self, numbers: range) -> list[int]:
        """Return which items cannot be stored."""
        if not numbers or (self._left > 0 and self._passes(numbers)):
            return []
        if len(numbers) == 1 or self._left <= 0:
            return list(numbers)
        middle = numbers.start + len(numbers) // 2
        return self.bad(range(numbers.start, middle)) + self.bad(range(middle, numbers.stop))


def _items(post: Post, part: str) -> list[object]:
    lines = {_HISTORY: post.history, _SYSTEM: post.system}.get(part)
    if lines is not None:
        return list(lines.rows)
    whole = {_SUMMARY: post.run.summary_text, _CONFIG: post.run.config}.get(part)
    if whole is not None:
        return [whole]
    return list(post.log_lines) if part == _LOG else []


def _reduced_rows(lines: PostedRows | None, kept: Collection[int]) -> PostedRows | None:
    if lines is None:
        return None
    return PostedRows.of(
        lines.offset, [row if number in kept else {} for number, row in enumerate(lines.rows)]
    )


def _reduced(post: Post, kept: Mapping[str, Collection[int]]) -> Post:
    """Return a copy in which all items are empty but those of these numbers."""
    run = replace(post.run, bad_lines=list(post.run.bad_lines))
    if 0 not in kept.get(_SUMMARY, ()):
        run.summary_text, run.summary_flat = None, "{}"
    if 0 not in kept.get(_CONFIG, ()):
        run.config = None
    log = kept.get(_LOG, ())
    return replace(
        post,
        history=_reduced_rows(post.history, kept.get(_HISTORY, ())),
        system=_reduced_rows(post.system, kept.get(_SYSTEM, ())),
        log_lines=[line if number in log else "" for number, line in enumerate(post.log_lines)],
        run=run,
        numbered=None
        if post.numbered is None
        else replace(post.numbered, bad=list(post.numbered.bad), set_aside=[]),
    )


def _set_aside(post: Post, part: str, number: int, text: str, reason: str) -> None:
    lines = {_HISTORY: (StreamKind.HISTORY, post.history), _SYSTEM: (StreamKind.SYSTEM, post.system)}.get(
        part
    )
    if post.numbered is None:
        post.run.bad_lines.append((part, text, reason))
    elif lines is not None and lines[1] is not None:
        post.numbered.bad.append(BadRow(lines[0], lines[1].offset + number, text, reason))
    else:
        post.numbered.set_aside.append((part, text, reason))
