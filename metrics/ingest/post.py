"""A post that was decoded: what ingest hands to the group commit."""

from dataclasses import dataclass, field

from metrics.ingest.points import Lines
from metrics.models import Kind
from runs.ingest.posts import RunPost


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that cannot be written, of a post whose numbers are exact."""

    kind: Kind
    offset: int
    text: str
    reason: str


@dataclass(slots=True)
class Exact:
    """Of a post of a writer that numbers its lines for its whole life, so that nothing has to be guessed (REST)."""

    lost: set[Kind] = field(default_factory=set)
    """What is missing before lines of these, the client has lost."""
    bad: list[BadRow] = field(default_factory=list)
    set_aside: list[tuple[str, str, str]] = field(default_factory=list)
    """(kind, text, reason) of what else of the post cannot be stored."""


@dataclass(slots=True)
class Post:
    """One decoded post."""

    run_id: int
    writer: str = ""
    history: Lines | None = None
    system: Lines | None = None
    log_offset: int = 0
    log_lines: list[str] = field(default_factory=list)
    run: RunPost = field(default_factory=lambda: RunPost(run_id=0))
    exact: Exact | None = None
    wrapper: str = ""
    """The id of the run as which the agent records the program."""
    recorded: frozenset[str] = frozenset()
    """What the agent sends itself, "console" or "system"; left out where both are one run."""

    @property
    def is_placed(self) -> bool:
        """Whether what is stored of its writer matters; other posts are only signs of life."""
        return bool(self.history or self.system or self.log_lines or self.exact)

    @property
    def offsets(self) -> dict[Kind, int]:
        """Where its lines begin."""
        streams = {Kind.HISTORY: self.history, Kind.SYSTEM: self.system}
        found = {kind: lines.offset for kind, lines in streams.items() if lines is not None}
        return found | {Kind.LOG: self.log_offset}
