"""Who belongs where, with which role."""

from typing import Any

from allauth.account.models import EmailAddress
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Name, User
from common.models import Timestamped


class RoleLevel(models.TextChoices):
    """Where a role is held."""

    TEAM = "team", _("Team")
    ORGANIZATION = "organization", _("Organization")


class Organization(Timestamped):
    """Owns teams, members and, later, a plan (TEAM-1)."""

    claim = models.OneToOneField(Name, models.PROTECT, related_name="organization")
    name = models.CharField(max_length=64, unique=True, help_text="The reserved name; it never changes.")
    display_name = models.CharField(max_length=120, blank=True)
    enforced_privacy = models.JSONField(
        default=dict,
        blank=True,
        help_text="Privacy settings that apply to all of its teams.",
    )
    api_keys_allowed = models.BooleanField(
        "member API keys", default=True, help_text="Whether members may create API keys."
    )
    api_key_max_days = models.PositiveIntegerField(
        "API key lifetime (days)",
        null=True,
        blank=True,
        help_text="At most, of a member's new API key; empty means no limit.",
    )
    deleted_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Only its name is left, for ever."
    )
    api_keys_limited = models.BooleanField(
        "limited API keys",
        default=False,
        help_text="Whether a member's new API key must be limited to some actions.",
    )

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Role(models.Model):
    """A set of grants. Built-in roles have a preset and no organization; custom ones the other way round.

    A custom role's grants are its base's and those it adds (TEAM-20), so that nobody who asks for grants has to look
    at the base; `teams.roles.builtin.sync_roles` keeps them so.
    """

    organization = models.ForeignKey(
        Organization, models.CASCADE, null=True, blank=True, related_name="roles"
    )
    level = models.CharField(max_length=12, default=RoleLevel.TEAM)
    preset = models.CharField(
        "built-in role", max_length=2, blank=True, help_text="Its key in the permission matrix."
    )
    name = models.CharField(max_length=80)
    description = models.CharField(max_length=300, blank=True, help_text="What a custom role is for.")
    base = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        help_text="The role that a custom role extends.",
        verbose_name="base role",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["preset"], condition=~Q(preset=""), name="teams_role_preset_once"
            ),
            models.UniqueConstraint("organization", Lower("name"), name="teams_role_name_once"),
            models.CheckConstraint(
                condition=Q(preset="", organization__isnull=False, base__isnull=False)
                | (~Q(preset="") & Q(organization__isnull=True, base__isnull=True)),
                name="teams_role_built_in_or_custom",
            ),
        ]

    def __str__(self) -> str:
        return gettext(self.name) if self.preset else self.name

    @property
    def label(self) -> str:
        """The name on pages of its own level, where "Organization" need not be said."""
        return str(_LABELS.get(self.preset, self.name))

    @property
    def full_label(self) -> str:
        """The label, with what a custom role is based on; read roles with ``select_related("base")``."""
        if self.base is None:
            return self.label
        return gettext("%(role)s (based on %(base)s)") % {"role": self.name, "base": self.base.label}


_LABELS = {
    "V": _("View-only"), "M": _("Member"), "A": _("Admin"),
    "O": _("Admin"), "Om": _("Member"), "Ov": _("Viewer"),
}  # fmt: skip
"""What pages call the built-in roles: each within its own level, in the reader's language."""


class RoleGrant(models.Model):
    """One action that a role gives."""

    role = models.ForeignKey(Role, models.CASCADE, related_name="grants")
    action = models.CharField(max_length=80)
    is_added = models.BooleanField(
        default=False, help_text="Added by a custom role, whatever its base gives."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["action", "role"], name="teams_rolegrant_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.action}"


class ProductAccess(models.TextChoices):
    """How far a member of an organization reaches into a product, in all its teams (TEAM-1)."""

    FULL = "full", _("Full")
    VIEW_ONLY = "view_only", _("View-only")
    NONE = "none", _("None")


class OrganizationMember(Timestamped):
    """A person's place in an organization; service accounts have none and take no seat."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="organization_memberships")
    role = models.ForeignKey(Role, models.PROTECT, related_name="+")
    models_access = models.CharField(
        "Models access",
        max_length=10,
        choices=ProductAccess,
        default=ProductAccess.FULL,
        help_text="Projects, runs and artifacts.",
    )
    weave_access = models.CharField(
        "Weave access",
        max_length=10,
        choices=ProductAccess,
        default=ProductAccess.FULL,
        help_text="Traces and evaluations.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["organization", "user"], name="teams_orgmember_once")]

    def __str__(self) -> str:
        return f"{self.user} in {self.organization}"


class TeamKind(models.TextChoices):
    """What a team is for."""

    PERSONAL = "personal", _("Personal")
    WORK = "work", _("Work")
    ACADEMIC = "academic", _("Academic")


class Visibility(models.TextChoices):
    """Who sees a project, from closed to open (TEAM-24). In a personal project, Team means Private."""

    RESTRICTED = "restricted", _("Restricted")
    TEAM = "team", _("Team")
    PUBLIC = "public", _("Public")
    OPEN = "open", _("Open")

    @property
    def is_public(self) -> bool:
        """Whether people outside the team see it."""
        return self in {Visibility.PUBLIC, Visibility.OPEN}


class TeamManager(models.Manager["Team"]):
    """All teams, and the ones that pages list as teams."""

    def live(self) -> models.QuerySet["Team"]:
        """Leave deleted teams out."""
        return self.filter(deleted_at__isnull=True)

    def shared(self) -> models.QuerySet["Team"]:
        """Return the teams of organizations: everything but personal entities and what was deleted."""
        return self.live().exclude(kind=TeamKind.PERSONAL)


class Team(Timestamped):
    """Owns projects. A personal entity is a team of kind personal with its one admin."""

    claim = models.OneToOneField(Name, models.PROTECT, related_name="team")
    name = models.CharField(max_length=64, unique=True, help_text="The reserved name; it never changes.")
    display_name = models.CharField(max_length=120, blank=True)
    kind = models.CharField(max_length=10, default=TeamKind.WORK)
    organization = models.ForeignKey(
        Organization, models.CASCADE, null=True, blank=True, related_name="teams"
    )
    is_hidden = models.BooleanField(
        "hidden",
        default=False,
        help_text="People outside the team find neither its page nor its name in the search.",
    )
    public_projects_allowed = models.BooleanField(
        "public projects", default=True, help_text="Off: no project can be made Public or Open any more."
    )
    members_may_invite = models.BooleanField(
        "invitations by members", default=False, help_text="Every member may invite, not only admins."
    )
    code_saving_default = models.BooleanField(
        "default code saving", default=False, help_text="Whether SDKs save code unless told otherwise."
    )
    code_saving_allowed = models.BooleanField(
        "code saving", default=True, help_text="Off: programs and diffs that SDKs upload are not stored."
    )
    project_visibility = models.CharField(
        "default visibility",
        max_length=12,
        default=Visibility.TEAM,
        help_text="Of new projects, unless their creator chooses another.",
    )
    deleted_at = models.DateTimeField(
        null=True, help_text="Projects deleted together with it have the same time."
    )

    objects = TeamManager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind=TeamKind.PERSONAL, organization__isnull=True)
                | (~Q(kind=TeamKind.PERSONAL) & Q(organization__isnull=False)),
                name="teams_team_personal_without_organization",
            ),
            models.CheckConstraint(
                condition=Q(project_visibility__in=Visibility.values), name="teams_team_project_visibility"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_personal(self) -> bool:
        """Whether this is one person's own entity."""
        return self.kind == TeamKind.PERSONAL

    @property
    def default_visibility(self) -> Visibility:
        """Of new projects: what the team chose, as long as its privacy allows it."""
        chosen = Visibility(self.project_visibility)
        return Visibility.TEAM if chosen.is_public and not self.public_projects_allowed else chosen


class Membership(Timestamped):
    """A user's place in a team."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.ForeignKey(Role, models.PROTECT, related_name="+")
    is_default = models.BooleanField(
        "default team",
        default=False,
        help_text="Runs of the user that name no entity go to this team instead of their own entity.",
    )

    class Meta:
        ordering = ["pk"]
        verbose_name = "team member"
        constraints = [
            models.UniqueConstraint(fields=["user", "team"], name="teams_membership_once"),
            models.UniqueConstraint(
                fields=["user"], condition=Q(is_default=True), name="teams_membership_default_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


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


class ServiceAccount(Timestamped):
    """A program with keys but no password (TEAM-30): of one team, or of all teams of an organization."""

    user = models.OneToOneField(User, models.CASCADE, related_name="service_account")
    label = models.CharField("name", max_length=64, help_text="Within its team or organization.")
    description = models.CharField(max_length=200, blank=True, help_text="Its purpose, plain text.")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="service_accounts")
    organization = models.ForeignKey(
        Organization, models.CASCADE, null=True, blank=True, related_name="service_accounts"
    )
    default_team = models.ForeignKey(
        Team,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="For runs that name no team.",
    )
    role = models.ForeignKey(
        Role,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Of an organization's service account, in all of its teams.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["team", "label"], name="teams_serviceaccount_team_label_once"),
            models.UniqueConstraint(
                fields=["organization", "label"], name="teams_serviceaccount_org_label_once"
            ),
            models.CheckConstraint(
                condition=Q(team__isnull=True, organization__isnull=False, role__isnull=False)
                | Q(
                    team__isnull=False,
                    organization__isnull=True,
                    role__isnull=True,
                    default_team__isnull=True,
                ),
                name="teams_serviceaccount_one_scope",
            ),
        ]

    def __str__(self) -> str:
        return self.label

    @property
    def home_team_id(self) -> Any:
        """The team that its runs go to when the client names none (TEAM-32)."""
        return self.team_id or self.default_team_id

    @property
    def held_role(self) -> Role | None:
        """What it may do in its team or teams; without its user's memberships loaded it costs a query."""
        places = {} if self.team_id is None else {one.team_id: one for one in self.user.memberships.all()}
        return places[self.team_id].role if self.team_id in places else self.role
