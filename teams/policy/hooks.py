"""What apps above do in the transaction that makes or ends an organization, makes an entity, or takes an admin away."""

from collections.abc import Callable

from access.actor import Actor
from accounts.models import User
from teams.models import Organization, OrganizationMember, Team

OrganizationHook = Callable[[Organization, User], None]
"""Takes a new organization and its first admin."""
PersonalHook = Callable[[Team], None]
"""Takes a new personal entity."""
AdminGuard = Callable[[Actor, OrganizationMember], None]
"""Takes who does it and a member who is about to be no admin, while all admins' places are locked; takes away what
only admins have, or raises a Conflict that says why they must stay one."""
LeaveHook = Callable[[OrganizationMember], None]
"""Takes a member who is about to leave an organization, while their places in its teams are still there."""
EndHook = Callable[[Actor, Organization], None]
"""Takes who does it and an organization that is about to be deleted; takes away what goes with it, or raises a Conflict
that says what must be settled first."""
_organization_hooks: list[OrganizationHook] = []
_personal_hooks: list[PersonalHook] = []
_admin_guards: list[AdminGuard] = []
_leave_hooks: list[LeaveHook] = []
_end_hooks: list[EndHook] = []


def register_organization_hook(hook: OrganizationHook) -> None:
    """Add what a new organization gets; called in ``AppConfig.ready``."""
    if hook not in _organization_hooks:
        _organization_hooks.append(hook)


def register_personal_hook(hook: PersonalHook) -> None:
    """Add what a new personal entity gets; called in ``AppConfig.ready``."""
    if hook not in _personal_hooks:
        _personal_hooks.append(hook)


def register_admin_guard(guard: AdminGuard) -> None:
    """Add what keeps an admin of an organization in place; called in ``AppConfig.ready``."""
    if guard not in _admin_guards:
        _admin_guards.append(guard)


def register_leave_hook(hook: LeaveHook) -> None:
    """Add what must be known of a member's places once they left; called in ``AppConfig.ready``."""
    if hook not in _leave_hooks:
        _leave_hooks.append(hook)


def register_end_hook(hook: EndHook) -> None:
    """Add what an organization's end depends on, and what goes with it; called in ``AppConfig.ready``."""
    if hook not in _end_hooks:
        _end_hooks.append(hook)


def organization_made(organization: Organization, admin: User) -> None:
    """Call the hooks of a new organization."""
    for hook in _organization_hooks:
        hook(organization, admin)


def personal_made(team: Team) -> None:
    """Call the hooks of a new personal entity."""
    for hook in _personal_hooks:
        hook(team)


def admin_leaves(actor: Actor, member: OrganizationMember) -> None:
    """Call the guards of a member of an organization who leaves, is removed or gets another role than admin."""
    for guard in _admin_guards:
        guard(actor, member)


def member_leaves(member: OrganizationMember) -> None:
    """Call the hooks of a member of an organization who leaves or is removed."""
    for hook in _leave_hooks:
        hook(member)


def organization_ends(actor: Actor, organization: Organization) -> None:
    """Call the hooks of an organization that is about to be deleted."""
    for hook in _end_hooks:
        hook(actor, organization)
