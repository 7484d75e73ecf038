"""Teams, personal entities among them."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Name
from common.models import Timestamped
from teams.models.organizations import Organization


class TeamKind(models.TextChoices):
    """What a team is for."""

    PERSONAL = "personal", _("Personal")
    WORK = "work", _("Work")
    ACADEMIC = "academic", _("Academic")
    ORGANIZATION = "organization", _("Organization")
    """The entity that bears an organization's name and owns its registries; nobody is a member of it."""


SHARED_KINDS = (TeamKind.WORK, TeamKind.ACADEMIC)
"""Of teams that people are members of."""


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

    def entities(self) -> models.QuerySet["Team"]:
        """Return everything that owns projects or registries, but for what was deleted."""
        return self.filter(deleted_at__isnull=True)

    def live(self) -> models.QuerySet["Team"]:
        """Leave out deleted teams, and the entities of organizations, which own registries only."""
        return self.entities().exclude(kind=TeamKind.ORGANIZATION)

    def shared(self) -> models.QuerySet["Team"]:
        """Return the teams of organizations' people, but for what was deleted."""
        return self.live().filter(kind__in=SHARED_KINDS)


class Team(Timestamped):
    """Owns projects. A personal entity is a team of kind personal with its one admin.

    An organization's registries are owned by a team of kind organization, which bears the organization's name.
    """

    claim = models.OneToOneField(Name, models.PROTECT, related_name="team")
    name = models.CharField(max_length=64, unique=True, help_text="The reserved name; it never changes.")
    display_name = models.CharField(max_length=120, blank=True)
    kind = models.CharField(max_length=12, default=TeamKind.WORK)
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
            models.UniqueConstraint(
                fields=["organization"], condition=Q(kind="organization"), name="teams_team_organization_once"
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
    def is_shared(self) -> bool:
        """Whether people are members of it: it is neither personal nor the entity of an organization."""
        return self.kind in SHARED_KINDS

    @property
    def default_visibility(self) -> Visibility:
        """Of new projects: what the team chose, as long as its privacy allows it."""
        chosen = Visibility(self.project_visibility)
        return Visibility.TEAM if chosen.is_public and not self.public_projects_allowed else chosen
