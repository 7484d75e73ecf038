"""Invitations to teams and organizations."""

from allauth.account.models import EmailAddress
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from teams.models.organizations import Organization
from teams.models.roles import Role
from teams.models.teams import Team


class InvitationState(models.TextChoices):
    """What became of an invitation."""

    PENDING = "pending", _("Pending")
    ACCEPTED = "accepted", _("Accepted")
    DECLINED = "declined", _("Declined")
    REVOKED = "revoked", _("Revoked")


class InvitationManager(models.Manager["Invitation"]):
    """All invitations, and those that can still be answered (expired ones, too: they can be sent again)."""

    def pending(self) -> models.QuerySet["Invitation"]:
        """Return those that nobody answered or took back."""
        return self.filter(state=InvitationState.PENDING)

    def within(self, organization: Organization) -> models.QuerySet["Invitation"]:
        """Return the pending ones to an organization and to its teams."""
        return self.pending().filter(Q(organization=organization) | Q(team__organization=organization))

    def pending_for(self, user: User) -> models.QuerySet["Invitation"]:
        """Return those that the user may answer: by name, or by an address that is known to be theirs."""
        verified = EmailAddress.objects.filter(user=user, verified=True).values("email")
        return self.pending().filter(Q(user=user) | Q(email__in=verified))


class Invitation(Timestamped):
    """Somebody who was asked into a team, or an organization alone (TEAM-3): by address, or as a user there already is.

    The mailed link holds the token; who has it may sign up with the address as its owner, so nobody else ever sees it.
    """

    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="invitations")
    organization = models.ForeignKey(
        Organization,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="invitations",
        help_text="Only for invitations to no team.",
    )
    email = models.EmailField(blank=True, help_text="The invited address, in lower case.")
    user = models.ForeignKey(
        User, models.CASCADE, null=True, blank=True, related_name="invitations", help_text="The invited user."
    )
    role = models.ForeignKey(
        Role, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Empty if it was deleted."
    )
    base_role = models.ForeignKey(
        Role,
        models.PROTECT,
        related_name="+",
        help_text="In place of a deleted one.",
        verbose_name="built-in role",
    )
    invited_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+", help_text="Who sent it last."
    )
    token_hash = models.CharField(
        max_length=64,
        unique=True,
        null=True,
        blank=True,
        help_text="Of the last link that was sent; empty before the first.",
    )
    state = models.CharField(max_length=8, default=InvitationState.PENDING)
    expires_at = models.DateTimeField(help_text="When the link expires, UTC.")
    last_sent_at = models.DateTimeField(null=True, blank=True, help_text="When the last email was sent, UTC.")
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was accepted, declined or revoked, UTC."
    )

    objects = InvitationManager()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=(Q(user__isnull=False) & Q(email="")) | (Q(user__isnull=True) & ~Q(email="")),
                name="teams_invitation_one_addressee",
            ),
            models.CheckConstraint(
                condition=Q(team__isnull=False, organization__isnull=True)
                | Q(team__isnull=True, organization__isnull=False),
                name="teams_invitation_one_place",
            ),
            models.CheckConstraint(
                condition=Q(state="pending", closed_at__isnull=True)
                | (~Q(state="pending") & Q(closed_at__isnull=False)),
                name="teams_invitation_pending_or_closed",
            ),
            models.UniqueConstraint(
                fields=["email", "team"],
                condition=Q(state="pending", user__isnull=True),
                name="teams_invitation_address_once",
            ),
            models.UniqueConstraint(
                fields=["user", "team"], condition=Q(state="pending"), name="teams_invitation_user_once"
            ),
            models.UniqueConstraint(
                fields=["email", "organization"],
                condition=Q(state="pending", user__isnull=True),
                name="teams_invitation_org_address_once",
            ),
            models.UniqueConstraint(
                fields=["user", "organization"],
                condition=Q(state="pending"),
                name="teams_invitation_org_user_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.addressee} to {self.place}"

    @property
    def place(self) -> "Team | Organization":
        """What accepting leads into."""
        place = self.team or self.organization
        assert place is not None  # noqa: S101 - a constraint says so
        return place

    @property
    def home(self) -> Organization | None:
        """The organization that accepting leads into; personal entities, to which nobody is invited, have none."""
        return self.organization or (self.team.organization if self.team else None)

    @property
    def addressee(self) -> str:
        """Who is invited: an address or a username."""
        return self.user.username if self.user else self.email

    @property
    def granted_role(self) -> Role:
        """The role that accepting gives: a deleted one falls back to its base."""
        return self.role or self.base_role

    @property
    def is_expired(self) -> bool:
        """Whether its link has ended."""
        return self.expires_at <= timezone.now()
