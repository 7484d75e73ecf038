"""Projects, their former names, and who is in restricted ones."""

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from common.models import Timestamped
from teams.models import Role, Team, Visibility
from teams.teams.visibility import visibility_label


class ProjectQuerySet(models.QuerySet["Project"]):
    """Projects, deleted ones among them."""

    def undeleted(self) -> "ProjectQuerySet":
        """Leave out deleted projects; registries stay."""
        return self.filter(deleted_at__isnull=True)

    def live(self) -> "ProjectQuerySet":
        """Leave out deleted projects, and registries, which are projects to the SDK only."""
        return self.undeleted().filter(is_registry=False)

    def registries(self) -> "ProjectQuerySet":
        """Keep the registries that were not deleted."""
        return self.undeleted().filter(is_registry=True)

    def called(self, name: str) -> "ProjectQuerySet":
        """Keep those that have the name, or had it where no other of their team took it."""
        before = FormerProjectName.objects.filter(name=name).values("project_id")
        return self.filter(Q(name=name) | Q(pk__in=before))

    def called_before(self, entity: str, name: str) -> "ProjectQuerySet":
        """Return the one that had the name in its team; ask for the one that has it first."""
        return self.filter(team__name=entity, former_names__name=name).order_by("-former_names__pk")


class Project(Timestamped):
    """A team's collection of runs."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="projects")
    name = models.CharField(max_length=128)
    description = models.TextField(blank=True, help_text="Markdown.")
    visibility = models.CharField(max_length=12, default=Visibility.TEAM)
    is_registry = models.BooleanField(
        "registry", default=False, help_text="It holds links to versions of artifacts, and no runs."
    )
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    runs_made = models.PositiveBigIntegerField(
        "run count", default=0, help_text="Numbers runs; never decreases."
    )
    last_active_at = models.DateTimeField(default=timezone.now, help_text="UTC.")
    pinned_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was pinned to its entity's page, UTC."
    )
    protected_tags = models.JSONField(
        default=list, help_text="Runs with one of these tags cannot be deleted."
    )
    deleted_at = models.DateTimeField(
        null=True, help_text="Runs deleted together with it have the same time."
    )

    objects = ProjectQuerySet.as_manager()

    class Meta:
        ordering = ["-last_active_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "name"], condition=Q(deleted_at__isnull=True), name="runs_project_name_once"
            ),
            models.CheckConstraint(
                condition=Q(visibility__in=Visibility.values), name="runs_project_visibility"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def visibility_label(self) -> str:
        """What pages call the visibility."""
        return visibility_label(self.team, self.visibility)


class FormerProjectName(Timestamped):
    """A name that a project had before: what goes on using it finds the project, until another takes the name."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="former_names")
    name = models.CharField(max_length=128)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "project"], name="runs_formername_once")]

    def __str__(self) -> str:
        return self.name


class ProjectMember(Timestamped):
    """Somebody invited to a restricted project; the role replaces the team's there."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="members")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    role = models.ForeignKey(Role, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "project"], name="runs_projectmember_once")]
        verbose_name_plural = "members of restricted projects"

    def __str__(self) -> str:
        return f"{self.user} in {self.project}"


class ProjectAccessRequest(Timestamped):
    """Somebody of the team who asks to be let into a restricted project; gone once it is answered."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="access_requests")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "project"], name="runs_projectaccessrequest_once")
        ]
        verbose_name_plural = "requests for restricted projects"

    def __str__(self) -> str:
        return f"{self.user} for {self.project}"
