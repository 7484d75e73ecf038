"""Service accounts."""

from typing import Any

from django.db import models
from django.db.models import Q

from accounts.models import User
from common.models import Timestamped
from teams.models.organizations import Organization
from teams.models.roles import Role
from teams.models.teams import Team


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
    def effective_role(self) -> Role | None:
        """What it may do in its team or teams; without its user's memberships loaded it costs a query."""
        places = {} if self.team_id is None else {one.team_id: one for one in self.user.memberships.all()}
        return places[self.team_id].role if self.team_id in places else self.role
