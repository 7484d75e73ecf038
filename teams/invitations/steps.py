"""What inviting and answering share: an invitation is locked, checked, closed and recorded."""

from typing import Any

from allauth.account.models import EmailAddress
from django.db.models import Manager, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from accounts.models import User
from common.errors import Conflict, DomainError, Gone, Invalid, NotFound
from teams.members.services import check_role
from teams.models import (
    Invitation,
    InvitationState,
    Membership,
    Organization,
    OrganizationMember,
    Role,
    RoleLevel,
    Team,
)


def is_invited(email: str, user: User | None) -> Q:
    """Return the condition that a place in a team or organization is the invited one's."""
    of_address = EmailAddress.objects.filter(email=email, verified=True).values("user")
    return Q(user=user) if user else Q(user__in=of_address)


def check_no_member(place: Team | Organization, who: Q, name: str) -> None:
    """Refuse whom the condition finds in the place."""
    if isinstance(place, Team):
        is_there = Membership.objects.filter(who, team=place).exists()
    else:
        is_there = OrganizationMember.objects.filter(who, organization=place).exists()
    if is_there:
        message = _("%(who)s is already a member of %(team)s.") % {"who": name, "team": place}
        raise with_reason("member", Conflict(message))


def check_role_fits(invitation: Invitation, role: Role) -> None:
    """Refuse a role that nobody has in a place of this kind."""
    if invitation.team:
        check_role(invitation.team, role)
    elif role.level != RoleLevel.ORGANIZATION:
        raise Invalid(_("%(role)s is a team role, not an organization role.") % {"role": role})


def record_step(actor: Actor, act: str, invitation: Invitation) -> None:
    """Write what was done, as an act on the team or on the organization."""
    after = {"invited": invitation.addressee, "role": invitation.granted_role.name}
    kind, home = "team" if invitation.team else "organization", invitation.home
    record(
        actor, f"{kind}.{act}", invitation.place, organization_id=home.pk if home else None,
        team_id=invitation.team_id, after=after,
    )  # fmt: skip


def with_reason(reason: str, error: DomainError) -> DomainError:
    """Note why an invitation cannot be answered, for the page that says what to do."""
    error.detail = {"reason": reason}
    return error


def lock_invitation(**which: Any) -> Invitation:
    """Return the invitation; its place and it are locked until the transaction ends, so it is answered once."""
    row = Invitation.objects.filter(**which).first()
    if row is not None:  # in the order of `invite`
        places: Manager[Any] = Team.objects if row.team_id else Organization.objects
        list(places.select_for_update(no_key=True).filter(pk=row.team_id or row.organization_id))
    return found_invitation(Invitation.objects.select_for_update(of=("self",)).filter(**which))


def found_invitation(rows: QuerySet[Invitation]) -> Invitation:
    row = rows.select_related(
        "team__organization", "organization", "user", "role", "base_role", "invited_by"
    ).first()
    if row is None:
        message = _(
            "This invitation doesn’t exist. A newer email may have replaced it, or the team was deleted. "
            "Ask for a new invitation."
        )
        raise with_reason("unknown", NotFound(message))
    return row


def close(invitation: Invitation, state: InvitationState) -> None:
    invitation.state, invitation.closed_at = state, timezone.now()
    invitation.save(update_fields=["state", "closed_at", "updated_at"])


def check_pending(invitation: Invitation) -> None:
    """Refuse one that was answered or taken back."""
    names = {"team": invitation.place}
    if invitation.state == InvitationState.ACCEPTED:
        raise with_reason(
            "accepted", Conflict(_("This invitation to %(team)s was already accepted.") % names)
        )
    if invitation.state == InvitationState.DECLINED:
        message = _("This invitation to %(team)s was declined. Ask for a new one.")
        raise with_reason("declined", Gone(message % names))
    if invitation.state == InvitationState.REVOKED:
        raise with_reason("revoked", Gone(_("This invitation to %(team)s was revoked.") % names))
