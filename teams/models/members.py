"""Who belongs to which organization and team."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from teams.models.organizations import Organization
from teams.models.roles import Role
from teams.models.teams import Team


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
