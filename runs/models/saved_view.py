"""What people make of projects and teams to look at runs: saved views and charts."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.models import Timestamped
from runs.models.project import Project
from teams.models import Team


class SavedView(Timestamped):
    """What somebody made of a project's table and workspace: filters, columns, hidden runs, panels (RUN-21, RUN-26).

    The view without a name is the working state, which saves itself; the shared one without a name is the default that
    others begin with.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="views")
    user = models.ForeignKey(
        User, models.CASCADE, null=True, related_name="+", help_text="Its only reader; empty if it is shared."
    )
    name = models.CharField(max_length=128, blank=True)
    spec = models.JSONField("content", default=dict)  # see runs.saved_views.selectors
    version = models.PositiveIntegerField(default=1, help_text="Counts how often the content was saved.")
    saved_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    saved_at = models.DateTimeField(default=timezone.now, help_text="When this version was saved, UTC.")
    is_template = models.BooleanField(
        "team template", default=False, help_text="Offered in all projects of the team; only of shared views."
    )

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["project", "user", "name"], name="runs_savedview_name_once"),
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(user__isnull=True), name="runs_savedview_shared_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name or "working state"

    @property
    def is_shared(self) -> bool:
        """Whether all who see the project read it."""
        return self.user_id is None


class ViewVersion(models.Model):
    """What a view held before it was saved again."""

    view = models.ForeignKey(SavedView, models.CASCADE, related_name="earlier")
    number = models.PositiveIntegerField()
    spec = models.JSONField("content", default=dict)
    saved_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    saved_at = models.DateTimeField(help_text="UTC.")

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["view", "number"], name="runs_viewversion_number_once")
        ]

    def __str__(self) -> str:
        return f"{self.view}, version {self.number}"


class ViewDraft(Timestamped):
    """What somebody changed of a view and has not saved; nobody else sees it."""

    view = models.ForeignKey(SavedView, models.CASCADE, related_name="drafts")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    version = models.PositiveIntegerField(help_text="The version of the view that it began from.")
    spec = models.JSONField("content", default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["view", "user"], name="runs_viewdraft_once")]

    def __str__(self) -> str:
        return f"draft of {self.view}"


class ChartAccess(models.TextChoices):
    """Who may draw with a stored chart besides the team."""

    PRIVATE = "private", _("The team")
    PUBLIC = "public", _("Everyone")


class StoredChart(Timestamped):
    """A Vega or Vega-Lite specification that a team's panels and scripts use by name, as ``team/name`` (RUN-26)."""

    team = models.ForeignKey(Team, models.CASCADE, related_name="charts")
    name = models.CharField(max_length=128)
    display_name = models.CharField(max_length=128, blank=True)
    access = models.CharField(max_length=12, default=ChartAccess.PRIVATE)
    spec = models.TextField(
        "specification", help_text="JSON with ${field:x} and ${string:x} as placeholders."
    )
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["name"]
        verbose_name = "chart"
        constraints = [
            models.UniqueConstraint(fields=["team", "name"], name="runs_storedchart_name_once"),
            models.CheckConstraint(
                condition=Q(access__in=ChartAccess.values), name="runs_storedchart_access"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team.name}/{self.name}"
