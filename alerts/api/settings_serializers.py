"""REST: what settings, routes and mutes look like, in answers and in what is sent."""

from typing import Any, ClassVar

from rest_framework import serializers

from alerts.models import Level, Mute, Route
from alerts.preferences.selectors import team_settings
from alerts.preferences.services import MAX_TAG, SWITCHES
from teams.models import Team

_LEVELS = [(value, value) for value in Level.values]
_SWEEPS_HELP = "Sweeps that finished, instead of each of their runs that finished or was stopped."
_PROJECT_HELP = "`entity/project`; null is all projects."


class AlertSettingsSerializer(serializers.Serializer[Team]):
    """What a person is told of their own runs, or a team of all runs in its projects."""

    id = serializers.IntegerField(help_text="The id of the team, or of the person's own entity.")
    entity = serializers.CharField(help_text="The team's or person's name.")
    on_finished = serializers.BooleanField(help_text="Runs that finished.")
    on_crashed = serializers.BooleanField(help_text="Runs that crashed or failed.")
    on_killed = serializers.BooleanField(help_text="Runs stopped by someone else.")
    on_sweeps = serializers.BooleanField(help_text=_SWEEPS_HELP)
    on_scripted = serializers.BooleanField(help_text="Alerts that code sends.")
    least_level = serializers.ChoiceField(_LEVELS, help_text="Of alerts that code sends.")
    by_email = serializers.BooleanField(
        help_text="To the person, or to every member of the team who sees the run."
    )

    def to_representation(self, instance: Team) -> dict[str, Any]:
        """Show what is chosen at a place, which is a team or somebody's own entity."""
        shown = team_settings(instance)
        chosen = {name: getattr(shown, name) for name in (*SWITCHES, "least_level")}
        return {"id": instance.pk, "entity": instance.name, **chosen}


class AlertSettingsUpdateSerializer(serializers.Serializer[Any]):
    """What is to change; what is not sent stays."""

    on_finished = serializers.BooleanField(required=False, help_text="Runs that finished.")
    on_crashed = serializers.BooleanField(required=False, help_text="Runs that crashed or failed.")
    on_killed = serializers.BooleanField(required=False, help_text="Runs stopped by someone else.")
    on_sweeps = serializers.BooleanField(required=False, help_text=_SWEEPS_HELP)
    on_scripted = serializers.BooleanField(required=False, help_text="Alerts that code sends.")
    least_level = serializers.ChoiceField(_LEVELS, required=False)
    by_email = serializers.BooleanField(
        required=False, help_text="To the person, or to every member of the team who sees the run."
    )


class AlertRouteSerializer(serializers.ModelSerializer[Route]):
    """A way of alerts: to which destination, of which runs."""

    entity = serializers.CharField(
        source="destination.team.name", help_text="Whose alerts: a team's or person's name."
    )
    destination_name = serializers.CharField(source="destination.name")
    project = serializers.SerializerMethodField(help_text=_PROJECT_HELP)

    class Meta:
        model = Route
        fields: ClassVar[list[str]] = [
            "id", "entity", "destination", "destination_name", "project", "tag", "created_at",
        ]  # fmt: skip

    def get_project(self, route: Route) -> str | None:
        """Return the path of the one project."""
        return f"{route.project.team.name}/{route.project.name}" if route.project else None


class AlertRouteCreateSerializer(serializers.Serializer[Any]):
    """What makes a route. Without project and tag, all alerts of the destination's owner go there."""

    destination = serializers.IntegerField(help_text="Id of a destination of a team or of your own.")
    project = serializers.CharField(
        required=False, allow_null=True, max_length=200, help_text="`entity/project`: only its runs."
    )
    tag = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TAG, help_text="Only runs with this tag."
    )


class AlertMuteSerializer(serializers.ModelSerializer[Mute]):
    """What you get no mail about; either ``project`` or ``team`` is null."""

    project = serializers.SerializerMethodField(help_text="`entity/project`.")
    team = serializers.CharField(source="team.name", default=None, allow_null=True)

    class Meta:
        model = Mute
        fields: ClassVar[list[str]] = ["id", "project", "team", "created_at"]

    def get_project(self, mute: Mute) -> str | None:
        """Return the project's path."""
        return f"{mute.project.team.name}/{mute.project.name}" if mute.project else None


class AlertMuteCreateSerializer(serializers.Serializer[Any]):
    """What to mute: give ``project`` or ``team``."""

    project = serializers.CharField(required=False, max_length=200, help_text="`entity/project`.")
    team = serializers.CharField(required=False, max_length=64, help_text="What it mails its members.")
