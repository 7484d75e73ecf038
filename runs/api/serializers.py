"""REST: what projects and runs look like, in answers and in what is sent."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from runs.bulk_actions.catalogue import BULK_ACTIONS
from runs.config.flatten import json_tree, unwrap_config
from runs.config.metric_definitions import MAXIMIZE, MINIMIZE, definitions_of
from runs.logs.project_search import SearchPage
from runs.models import Project, ProjectAccessRequest, ProjectMember, Run, RunFile
from runs.projects.services import MAX_DESCRIPTION, MAX_NAME, MAX_PROTECTED_TAGS, MAX_TAG
from runs.secrets.masking import mask, mask_tree
from teams.api.serializers import ROLE_HELP, RoleField
from teams.models import Visibility

MAX_RUNS = 1000
"""That one request acts on."""


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """A project."""

    entity = serializers.CharField(source="team.name", help_text="The team's or person's name.")
    protected_tags = serializers.ListField(
        child=serializers.CharField(), help_text="Runs with one of these cannot be deleted."
    )
    visibility = serializers.ChoiceField(
        Visibility.choices,
        help_text="`restricted`: invited members; `team`; `public`: anyone reads; `open`: anyone signed in logs.",
    )

    class Meta:
        model = Project
        fields: ClassVar[list[str]] = ["id", "entity", "name", "description", "visibility", "protected_tags",
                                       "created_at", "last_active_at", "pinned_at", "deleted_at"]  # fmt: skip


class ProjectUpdateSerializer(serializers.Serializer[Any]):
    """What of a project can be changed; what is not sent stays."""

    name = serializers.CharField(
        max_length=MAX_NAME,
        required=False,
        help_text="The one it had leads to it until another project takes it.",
    )
    description = serializers.CharField(allow_blank=True, max_length=MAX_DESCRIPTION, required=False)
    visibility = serializers.ChoiceField(Visibility.choices, required=False)
    protected_tags = serializers.ListField(
        child=serializers.CharField(max_length=MAX_TAG), max_length=MAX_PROTECTED_TAGS, required=False
    )
    pinned = serializers.BooleanField(required=False, help_text="First on its entity's page.")


class ProjectCreateSerializer(serializers.Serializer[Any]):
    """What makes a project."""

    entity = serializers.CharField(max_length=64)
    name = serializers.CharField(max_length=MAX_NAME)
    description = serializers.CharField(allow_blank=True, max_length=MAX_DESCRIPTION, default="")
    visibility = serializers.ChoiceField(
        Visibility.choices, required=False,
        help_text="Otherwise as new projects of the team are.",
    )  # fmt: skip


class ProjectMemberSerializer(serializers.ModelSerializer[ProjectMember]):
    """Somebody invited to a restricted project."""

    username = serializers.CharField(source="user.username")
    role = RoleField(help_text=ROLE_HELP)
    added_at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = ProjectMember
        fields: ClassVar[list[str]] = ["username", "role", "added_at"]


class AccessRequestSerializer(serializers.ModelSerializer[ProjectAccessRequest]):
    """Somebody who asks to be let into a restricted project."""

    username = serializers.CharField(source="user.username")
    asked_at = serializers.DateTimeField(source="created_at")

    class Meta:
        model = ProjectAccessRequest
        fields: ClassVar[list[str]] = ["username", "asked_at"]


class AccessRequestCreateSerializer(serializers.Serializer[Any]):
    """Which project is asked about, whether or not it is there."""

    entity = serializers.CharField(max_length=64, help_text="Your team.")
    project = serializers.CharField(max_length=MAX_NAME)


class AccessRequestResultSerializer(serializers.Serializer[Any]):
    """The same for a project that is there and for one that is not."""

    message = serializers.CharField()


class RestrictedProjectSerializer(serializers.ModelSerializer[Project]):
    """A restricted project as its team's admins know it."""

    entity = serializers.CharField(source="team.name")
    members = serializers.IntegerField(source="n_members", help_text="How many are in it.")
    requests = serializers.IntegerField(source="n_requests", help_text="How many ask to be let in.")

    class Meta:
        model = Project
        fields: ClassVar[list[str]] = ["id", "entity", "name", "members", "requests"]


class RunColumnSerializer(serializers.Serializer[Any]):
    """A column of a project's runs."""

    name = serializers.CharField(help_text="As `filter`, `order` and `columns` spell it.")
    label = serializers.CharField(help_text="What pages call it.")  # type: ignore[assignment]  # the value, not the name of a field
    part = serializers.CharField(help_text="field, config or summary.")
    type = serializers.CharField(help_text="number, text, boolean, time, tags or mixed.")
    unit = serializers.CharField(help_text="s, or empty.")


class RunColumnListSerializer(serializers.Serializer[Any]):
    """All of them."""

    columns = RunColumnSerializer(many=True)


class RunSerializer(serializers.ModelSerializer[Run]):
    """A run as a list shows it."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    user = serializers.CharField(
        source="user.username", default=None, allow_null=True, help_text="Whose run it is."
    )
    logged_by = serializers.CharField(
        source="logged_by.username", default=None, allow_null=True,
        help_text="Whose key it was: a service account may log for a user.",
    )  # fmt: skip
    created_at = serializers.DateTimeField(help_text="When it began, by its own clock if it was synced.")
    synced_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When the server first heard of it, if it was recorded before and sent later.",
    )
    heartbeat_at = serializers.DateTimeField(source="pulse.heartbeat_at", help_text="Last sign of life.")
    runtime_s = serializers.FloatField(help_text="Seconds from start to end, or until now.")
    duration_s = serializers.FloatField(help_text="As runtime_s, without pauses between an end and a resume.")
    notes = serializers.SerializerMethodField(help_text="What looks like a secret is masked.")
    tags = serializers.ListField(child=serializers.CharField())
    exit_code = serializers.IntegerField(allow_null=True)
    sweep = serializers.CharField(help_text="The id (`uid`) of its sweep; empty: none.")

    class Meta:
        model = Run
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "uid", "display_name", "state", "user", "logged_by", "created_at", "started_at",
            "synced_at", "finished_at", "heartbeat_at", "runtime_s", "duration_s", "exit_code", "tags", "notes",
            "group", "job_type", "host", "sweep",
        ]  # fmt: skip

    def get_notes(self, run: Run) -> str:
        """Return the notes."""
        return mask(run.notes)


class RunListItemSerializer(RunSerializer):
    """A run of a list, with the columns that were asked for."""

    columns = serializers.DictField(
        required=False, help_text="Value by column, where `columns` asked for some."
    )

    class Meta(RunSerializer.Meta):
        fields: ClassVar[list[str]] = [*RunSerializer.Meta.fields, "columns"]


class MetricDefinitionSerializer(serializers.Serializer[Any]):
    """What ``run.define_metric`` said of a metric, or of all whose keys begin with what is before the ``*``."""

    name = serializers.CharField()
    step_metric = serializers.CharField(
        allow_blank=True, help_text="The key that charts draw it over; empty for the step."
    )
    step_sync = serializers.BooleanField(
        help_text="Whether the SDK logs the last value of the step metric along."
    )
    hidden = serializers.BooleanField(
        source="is_hidden", help_text="Whether no panel is created for it automatically."
    )
    summary = serializers.ListField(
        child=serializers.CharField(), help_text="What the summary holds, such as `min`; empty for the last."
    )
    goal = serializers.ChoiceField([("", ""), (MINIMIZE, MINIMIZE), (MAXIMIZE, MAXIMIZE)])


class RunDetailSerializer(RunSerializer):
    """A run with its config and summary as they were logged; NaN and infinities are text, since JSON has none.

    What looks like a secret is masked for those who cannot change the run.
    """

    config = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()
    metric_definitions = serializers.SerializerMethodField()
    is_protected = serializers.BooleanField(help_text="Cannot be deleted; protecting tags are the project's.")
    archives = serializers.SerializerMethodField(help_text="Ids (`uid`) of what it had before each rewind.")
    archive_of = serializers.CharField(
        source="archive_of.uid", default=None, allow_null=True,
        help_text="Id (`uid`) of the run that was rewound, of what it had before.",
    )  # fmt: skip

    class Meta(RunSerializer.Meta):
        fields: ClassVar[list[str]] = [
            *RunSerializer.Meta.fields, "is_protected", "archives", "archive_of", "config", "summary",
            "metric_definitions",
        ]  # fmt: skip

    def _shown(self, value: Any) -> Any:
        return value if self.context["is_exact"] else mask_tree(value)[0]

    def get_notes(self, run: Run) -> str:
        """Return the notes."""
        return str(self._shown(run.notes))

    def get_archives(self, run: Run) -> list[str]:
        """Return the ids, oldest first."""
        return list(run.archives.live().order_by("pk").values_list("uid", flat=True))

    def get_config(self, run: Run) -> dict[str, Any]:
        """Return the user's part of the configuration."""
        config: dict[str, Any] = self._shown(unwrap_config(json_tree(run.config_text)))
        return config

    @extend_schema_field(MetricDefinitionSerializer(many=True))
    def get_metric_definitions(self, run: Run) -> Any:
        """Return what the script defined."""
        return MetricDefinitionSerializer(definitions_of(run).listed(), many=True).data

    def get_summary(self, run: Run) -> dict[str, Any]:
        """Return the summary without the SDK's own part."""
        summary = json_tree(run.pulse.summary_text)
        return {key: value for key, value in self._shown(summary).items() if key != "_wandb"}


class RunUpdateSerializer(serializers.Serializer[Any]):
    """What of a run can be changed; what is not sent stays."""

    display_name = serializers.CharField(max_length=128, required=False)
    notes = serializers.CharField(allow_blank=True, max_length=1_000_000, required=False)
    tags = serializers.ListField(child=serializers.CharField(max_length=256), max_length=1000, required=False)
    group = serializers.CharField(allow_blank=True, max_length=256, required=False)
    job_type = serializers.CharField(allow_blank=True, max_length=256, required=False)
    is_protected = serializers.BooleanField(required=False, help_text="Takes the right to delete the run.")


class BulkActionSerializer(serializers.Serializer[Any]):
    """An act on many runs of a project."""

    entity = serializers.CharField(max_length=64)
    project = serializers.CharField(max_length=MAX_NAME)
    act = serializers.ChoiceField([(name, name) for name in BULK_ACTIONS])
    uids = serializers.ListField(
        child=serializers.CharField(max_length=128),
        min_length=1,
        max_length=MAX_RUNS,
        help_text="Which runs.",
    )
    values = serializers.ListField(
        child=serializers.CharField(max_length=1_000_000, allow_blank=True), max_length=1000, default=list,
        help_text="Tags of `tag` and `untag`; the one text of `rename`, `note`, `group`; `entity/project` of `move`; "
        "keys of `redact`, such as `config.db.password` or `metadata.args`; `artifacts` of `delete`, which deletes the "
        "artifact versions, too, that no other run logged.",
    )  # fmt: skip


class RefusedRunSerializer(serializers.Serializer[Any]):
    """A run that was left alone, and why."""

    uid = serializers.CharField()
    reason = serializers.CharField()


class BulkActionResultSerializer(serializers.Serializer[Any]):
    """What became of an act."""

    done = serializers.ListField(
        child=serializers.CharField(), help_text="`uid` of runs that are as was asked."
    )
    refused = RefusedRunSerializer(many=True)
    kept = serializers.ListField(
        child=serializers.CharField(), help_text="Artifact versions that `delete` did not delete, and why."
    )


class RunFilterSerializer(serializers.Serializer[Any]):
    """A filter expression, read."""

    tree = serializers.JSONField(help_text="As the builder of the runs table edits it.")
    text = serializers.CharField(help_text="Written evenly.")


class RunFileSerializer(serializers.ModelSerializer[RunFile]):
    """A file of a run."""

    size_bytes = serializers.IntegerField()
    content_type = serializers.CharField(help_text="What its name suggests.")

    class Meta:
        model = RunFile
        fields: ClassVar[list[str]] = ["id", "name", "size_bytes", "content_type", "updated_at"]


class LogLineSerializer(serializers.Serializer[Any]):
    """A line of the console."""

    n = serializers.IntegerField(help_text="Its number, from 0.")
    at = serializers.CharField(
        allow_null=True, help_text="ISO 8601, UTC, without zone; null: the line has none."
    )
    level = serializers.CharField(allow_null=True, help_text="`error` for what went to stderr.")
    text = serializers.CharField()


class LogWindowSerializer(serializers.Serializer[Any]):
    """A window of the console log."""

    total = serializers.IntegerField(help_text="Lines of the whole log.")
    masked = serializers.IntegerField(help_text="In how many of these lines a secret is masked.")
    lines = LogLineSerializer(many=True)


class LogMatchSerializer(serializers.Serializer[Any]):
    """A line of a run's console with a hit."""

    n = serializers.IntegerField(source="number", help_text="Its number, from 0.")
    text = serializers.CharField()


class RunLogMatchesSerializer(serializers.Serializer[Any]):
    """The first lines of a run with a hit."""

    run = serializers.CharField(source="run.uid")
    name = serializers.CharField(source="run.display_name")
    state = serializers.CharField(source="run.state")
    lines = LogMatchSerializer(many=True)
    has_more = serializers.BooleanField(help_text="Whether the rest of this log was not read.")


class ProjectLogSearchResultSerializer(serializers.Serializer[Any]):
    """What a search in the consoles of a project's runs found."""

    results = RunLogMatchesSerializer(source="runs", many=True, help_text="The newest run first.")
    searched = serializers.IntegerField(help_text="How many runs were read.")
    next = serializers.SerializerMethodField(help_text="Search on with this as `after`; null at the end.")

    def get_next(self, page: SearchPage) -> str | None:
        """Return where the search goes on."""
        return str(page.after) if page.after else None


class LogSearchResultSerializer(serializers.Serializer[Any]):
    """What a search found."""

    total = serializers.IntegerField(help_text="Lines of the whole log.")
    scanned_to = serializers.IntegerField(help_text="Below `total`: search on with this as `start`.")
    lines = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers of lines with a hit.")
