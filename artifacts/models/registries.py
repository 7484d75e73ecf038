"""Registries: what people of several teams look for models in, and with which role they do."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from runs.models import Project
from runs.names.registries import MODEL_REGISTRY, PREFIX
from teams.models import Team


class RegistryRole(models.TextChoices):
    """What somebody does in a registry; each role includes those before it (`artifacts.registries.roles`)."""

    RESTRICTED_VIEWER = "restricted_viewer", _("Restricted viewer")
    VIEWER = "viewer", _("Viewer")
    MEMBER = "member", _("Member")
    ADMIN = "admin", _("Registry admin")


EVERYONE_ROLES = (RegistryRole.RESTRICTED_VIEWER, RegistryRole.VIEWER, RegistryRole.MEMBER)
"""What everybody in the organization may be in a registry."""


class Registry(Timestamped):
    """Collections into which versions are linked: an organization's, or a team's own model registry.

    The SDK knows a registry as a project with a name of its own kind, and so it is one.
    """

    project = models.OneToOneField(Project, models.CASCADE, related_name="registry")
    everyone_role = models.CharField(
        "role of everyone",
        max_length=20,
        choices=RegistryRole,
        blank=True,
        help_text="Of everybody in the organization; empty where only members of the registry see it.",
    )
    all_types_allowed = models.BooleanField(
        "all types", default=True, help_text="Off: only versions of the registry's artifact types are linked."
    )

    class Meta:
        verbose_name_plural = "registries"
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(everyone_role__in=["", *(role.value for role in EVERYONE_ROLES)]),
                name="artifacts_registry_everyone_role",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Its name without the prefix that it has as a project."""
        return self.project.name.removeprefix(PREFIX)

    @property
    def is_of_team(self) -> bool:
        """Whether it is the model registry of one team, whose roles are the team's."""
        return self.project.name == MODEL_REGISTRY

    @property
    def is_restricted(self) -> bool:
        """Whether only its members see it."""
        return not self.is_of_team and not self.everyone_role


class ProtectedAlias(Timestamped):
    """An alias that only registry admins give to versions in a registry, and take from them (ART-5)."""

    registry = models.ForeignKey(Registry, models.CASCADE, related_name="protected_aliases")
    name = models.CharField(max_length=128)

    class Meta:
        ordering = ["name"]
        verbose_name = "protected alias"
        verbose_name_plural = "protected aliases"
        constraints = [
            models.UniqueConstraint(fields=["registry", "name"], name="artifacts_protectedalias_once")
        ]

    def __str__(self) -> str:
        return self.name


class RegistryMember(Timestamped):
    """A person or a team with a role in a registry."""

    registry = models.ForeignKey(Registry, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="+")
    team = models.ForeignKey(Team, models.CASCADE, null=True, blank=True, related_name="registry_roles")
    role = models.CharField(max_length=20, choices=RegistryRole, default=RegistryRole.VIEWER)

    class Meta:
        ordering = ["pk"]
        verbose_name = "registry member"
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, team__isnull=True) | Q(user__isnull=True, team__isnull=False),
                name="artifacts_registrymember_user_or_team",
            ),
            models.CheckConstraint(
                condition=Q(role__in=RegistryRole.values), name="artifacts_registrymember_role"
            ),
            models.UniqueConstraint(
                fields=["user", "registry"],
                condition=Q(user__isnull=False),
                name="artifacts_registrymember_user_once",
            ),
            models.UniqueConstraint(
                fields=["team", "registry"],
                condition=Q(team__isnull=False),
                name="artifacts_registrymember_team_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user or self.team} in {self.registry}"
