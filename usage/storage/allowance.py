"""What a team or a person may keep: the storage of the plan that pays for it, and how much is used (TEAM-9, ACC-8)."""

from dataclasses import dataclass

from teams.models import Organization


@dataclass(frozen=True, slots=True)
class Allowance:
    """The storage of a plan, of which a team keeps a part."""

    plan_name: str
    organization: Organization | None
    """Whose teams share it; None: it is a person's own."""
    limit_bytes: int | None
    """None: without a limit."""
    stored_bytes: int
    """By the team, deleted runs included."""
    shared_bytes: int
    """By all that share the plan."""
    url: str
    """Of the plan's page; "" for who may not open it."""
    contacts: str
    """Who changes the plan, where the viewer may not open it."""

    @property
    def used_percent(self) -> float | None:
        """How much of the limit all that share it use; None without a limit."""
        if self.limit_bytes is None:
            return None
        return 100 * self.shared_bytes / self.limit_bytes if self.limit_bytes else 100.0

    @property
    def is_over(self) -> bool:
        """Whether more is kept than the limit."""
        return self.limit_bytes is not None and self.shared_bytes > self.limit_bytes

    def share_of(self, size_bytes: int) -> float:
        """Return how long a part of the bar is, in percent: the bar is the limit, or more where more is kept."""
        whole = max(self.limit_bytes or 0, self.shared_bytes if self.limit_bytes else self.stored_bytes)
        return 100 * size_bytes / whole if whole else 0.0
