"""Whether a team may store more files, as its plan says; metrics and logs are never asked about."""

import time

from teams.plan_policy import plan_policy

REMEMBERED_S = 10.0
"""How long a yes counts in this process: a run that uploads a thousand images asks once in a while."""
_MOST = 10_000

_cleared: dict[int, float] = {}


def forget() -> None:
    """Ask anew about every team."""
    _cleared.clear()


def is_cleared(team_id: int) -> bool:
    """Whether a team may store more files as far as is remembered; asks no database."""
    return _cleared.get(team_id, 0.0) > time.monotonic()


def require_quota(team_id: int) -> None:
    """Let pass a team that may store more files; a refusal is never remembered.

    Raises:
        DomainError: it may not.
    """
    if is_cleared(team_id):
        return
    plan_policy().require_storage(team_id)
    if len(_cleared) >= _MOST:
        _cleared.clear()
    _cleared[team_id] = time.monotonic() + REMEMBERED_S
