"""What an identity provider set for people and teams, kept beside their actual state."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from common.models import Timestamped


class ProvisionState(models.TextChoices):
    """What the provider wants of a person."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    """Out of the organization and its teams, but listed, so that it can switch them on again."""
    DELETED = "deleted"
    """Listed no more; remembered so that an account that it made is found when it comes again."""


class ProvisionedUser(Timestamped):
    """A person as an organization's identity provider knows them."""

    organization = models.ForeignKey("teams.Organization", models.CASCADE, related_name="provisioned")
    user = models.ForeignKey("accounts.User", models.CASCADE, related_name="provisioned")
    user_name = models.CharField(max_length=255, help_text="The provider's name for them, often an address.")
    external_id = models.CharField(max_length=255, blank=True)
    display_name = models.CharField(max_length=255, blank=True)
    name = models.JSONField(default=dict, blank=True, help_text="givenName, familyName, formatted.")
    said = models.JSONField(
        default=dict,
        blank=True,
        help_text="Role and access that the provider set itself; they wait here while the person is switched off.",
    )
    held = models.JSONField(
        default=dict,
        blank=True,
        help_text="Role and access that a person who is switched off comes back with, where the provider said none.",
    )
    state = models.CharField(max_length=8, default=ProvisionState.ACTIVE)
    made_account = models.BooleanField(default=False, help_text="Whether the account was made by SCIM here.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "organization"], name="teams_provisioneduser_once"),
            models.UniqueConstraint(
                Lower("user_name"),
                "organization",
                condition=~Q(state="deleted"),
                name="teams_provisioneduser_name_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_name} in {self.organization}"


class SuspendedMembership(Timestamped):
    """A team that somebody whom the provider switched off comes back to; it gives nothing meanwhile."""

    person = models.ForeignKey(ProvisionedUser, models.CASCADE, related_name="suspended_memberships")
    team = models.ForeignKey("teams.Team", models.CASCADE, related_name="suspended_memberships")
    role = models.ForeignKey("teams.Role", models.PROTECT, related_name="+")
    provider = models.SlugField(
        max_length=40, blank=True, help_text="Whose group gave the membership; empty where a person did."
    )

    class Meta:
        db_table = "teams_heldmembership"
        ordering = ["pk"]
        verbose_name_plural = "memberships of deactivated people"
        constraints = [models.UniqueConstraint(fields=["person", "team"], name="teams_heldmembership_once")]

    def __str__(self) -> str:
        return f"{self.person} to {self.team}"


class ProvisionedTeam(Timestamped):
    """A team as an identity provider knows it."""

    team = models.OneToOneField("teams.Team", models.CASCADE, related_name="provisioned")
    external_id = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.external_id} as {self.team}"
