"""Seats: what a person in an organization takes, and whether there is one left. Without `billing` there always is."""

from collections.abc import Callable
from enum import StrEnum

from access.actions import Preset
from teams.models import Organization, OrganizationMember, ProductAccess, Role


class Seat(StrEnum):
    """What a place in an organization takes."""

    FULL = "full"
    VIEW_ONLY = "view_only"
    """Of who only looks, whatever their roles in teams."""


SeatCheck = Callable[[Organization, Seat, Seat | None], None]
"""Takes the organization, the seat that is wanted and the one that is given up for it; raises a Conflict."""
_checks: list[SeatCheck] = []


def register_seat_check(check: SeatCheck) -> None:
    """Add who refuses seats; called in ``AppConfig.ready``."""
    if check not in _checks:
        _checks.append(check)


def seat_for(role: Role, models_access: str) -> Seat | None:
    """Return the seat of a role in an organization with an access to Models; who sees nothing of Models takes none."""
    if models_access == ProductAccess.NONE:
        return None
    looks = role.preset == Preset.ORGANIZATION_VIEWER or models_access == ProductAccess.VIEW_ONLY
    return Seat.VIEW_ONLY if looks else Seat.FULL


def seat_of(member: OrganizationMember) -> Seat | None:
    """Return the seat that a member takes; their role must be loaded."""
    return seat_for(member.role, member.models_access)


def require_seat(organization: Organization, seat: Seat | None, *, had: Seat | None = None) -> None:
    """Let somebody take a seat; call in the transaction that gives it to them. Service accounts take none.

    Args:
        organization: Whose.
        seat: Which; None is always free.
        had: The one that they give up.

    Raises:
        Conflict: none is left; the message says who can change that.
    """
    if seat is None or seat == had:
        return
    for check in _checks:
        check(organization, seat, had)
