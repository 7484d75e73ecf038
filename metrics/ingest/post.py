"""A post that was decoded: what ingest hands to the group commit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from metrics.models import StreamKind
from metrics.store.codec import MAX_ROWS, Batch, pack
from runs.ingest.posts import RunPost


@dataclass(slots=True)
class PostedRows:
    """Decoded lines of one file of a post, with their columns made outside the transaction."""

    offset: int
    rows: list[dict[str, Any]]
    batches: list[Batch] = field(default_factory=list)

    @classmethod
    def of(cls, offset: int, rows: list[dict[str, Any]]) -> "PostedRows":
        """Make the columns now, on the caller's thread."""
        return cls(offset, rows, list(pack_batches(rows)))


def pack_batches(rows: Sequence[dict[str, Any]]) -> Iterable[Batch]:
    """Yield the columns of rows, by as many as a batch holds."""
    for start in range(0, len(rows), MAX_ROWS):
        yield pack(rows[start : start + MAX_ROWS])


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row of a numbered post that cannot be written."""

    kind: StreamKind
    offset: int
    text: str
    reason: str


@dataclass(slots=True)
class NumberedPost:
    """What a post adds whose writer numbers its lines for its whole life, so that nothing has to be guessed (REST)."""

    lost: set[StreamKind] = field(default_factory=set)
    """What is missing before lines of these, the client has lost."""
    bad: list[BadRow] = field(default_factory=list)
    set_aside: list[tuple[str, str, str]] = field(default_factory=list)
    """(kind, text, reason) of what else of the post cannot be stored."""


@dataclass(slots=True)
class Post:
    """One decoded post."""

    run_id: int
    writer: str = ""
    history: PostedRows | None = None
    system: PostedRows | None = None
    log_offset: int = 0
    log_lines: list[str] = field(default_factory=list)
    run: RunPost = field(default_factory=lambda: RunPost(run_id=0))
    numbered: NumberedPost | None = None
    """None where offsets begin anew with each process (the SDK)."""
    wrapper: str = ""
    """The id of the run as which the agent records the program."""
    recorded: frozenset[str] = frozenset()
    """What the agent sends itself, "console" or "system"; left out where both are one run."""

    @property
    def is_placed(self) -> bool:
        """Whether what is stored of its writer matters; other posts are only signs of life."""
        return bool(self.history or self.system or self.log_lines or self.numbered)

    @property
    def offsets(self) -> dict[StreamKind, int]:
        """Where its lines begin."""
        streams = {StreamKind.HISTORY: self.history, StreamKind.SYSTEM: self.system}
        found = {kind: lines.offset for kind, lines in streams.items() if lines is not None}
        return found | {StreamKind.LOG: self.log_offset}
