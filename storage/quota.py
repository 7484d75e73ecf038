"""Whether a team may store more files. Without `billing` it always may; metrics and logs are never asked about."""

import time
from collections.abc import Callable

RoomCheck = Callable[[int], None]
"""Takes a team's key; raises a DomainError that says what is used, what the limit is, and who can change it."""
REMEMBERED_S = 10.0
"""How long a yes counts in this process: a run that uploads a thousand images asks once in a while."""
_MOST = 10_000

_checks: list[RoomCheck] = []
_roomy: dict[int, float] = {}


def register_room_check(check: RoomCheck) -> None:
    """Add who refuses uploads; called in ``AppConfig.ready``."""
    if check not in _checks:
        _checks.append(check)


def forget() -> None:
    """Ask anew about every team."""
    _roomy.clear()


def require_room(team_id: int) -> None:
    """Let pass a team that may store more files; a refusal is never remembered.

    Raises:
        DomainError: it may not.
    """
    now = time.monotonic()
    if _roomy.get(team_id, 0.0) > now:
        return
    for check in _checks:
        check(team_id)
    if len(_roomy) >= _MOST:
        _roomy.clear()
    _roomy[team_id] = now + REMEMBERED_S
