"""Roles and what they grant."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from teams.models.organizations import Organization


class RoleLevel(models.TextChoices):
    """Where a role is held."""

    TEAM = "team", _("Team")
    ORGANIZATION = "organization", _("Organization")


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
