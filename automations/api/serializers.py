"""What REST takes and gives of automations and of what they did."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import User
from alerts.models import Level, Message, MessageState
from artifacts.names import MAX_NAME as MAX_COLLECTION
from automations.conditions.events import AutomationEvent
from automations.editor.words import event_words
from automations.evaluation.firings import Firing
from automations.models import ActionKind, Automation
from automations.services import MAX_NAME, MAX_ONCE_IN_S, MAX_RECIPIENTS, MAX_TEXT, MAX_TITLE

_FILTER = (
    "The SDK's `eventFilter`: `run_filter` (JSON text, in MongoDB's language) and `run_state_filter` or "
    "`run_metric_filter`; of artifacts a filter of `alias` or `tag`. Of sweeps: `sweep`, an ID or a regular "
    "expression of names; of `SWEEP_FINISHED` also `ended`, some of FINISHED, STOPPED, CANCELED; of "
    "`SWEEP_RUNS_FAIL` `share` (0-1) and `least_ended`, a number of runs."
)
_ONCE = "After acting for a run it leaves that run alone for so many seconds; 0: acts each time."


class AutomationSerializer(serializers.ModelSerializer[Automation]):
    """An automation; ``project`` is null for one of all of the team's, ``collection`` for one of all artifacts."""

    entity = serializers.CharField(source="team.name", help_text="Name of the team or person.")
    project = serializers.CharField(source="project.name", default=None, allow_null=True)
    collection = serializers.CharField(source="collection.name", default=None, allow_null=True)
    filter = serializers.JSONField(help_text=_FILTER)
    when = serializers.SerializerMethodField()
    destination = serializers.IntegerField(source="destination_id", allow_null=True, help_text="Its `id`.")
    mail_to: serializers.SlugRelatedField[User] = serializers.SlugRelatedField(
        "username", many=True, read_only=True, help_text="Members of the team who are mailed."
    )
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Automation
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "collection", "name", "description", "event", "filter", "when", "action",
            "destination", "mail_to", "mail_author", "title", "message", "severity", "payload", "once_in_s", "is_on",
            "created_at", "created_by", "last_fired_at",
        ]  # fmt: skip

    def get_when(self, automation: Automation) -> str:
        """Return what it waits for, in words: ``loss < 0.1 (mean of 5)``."""
        return event_words(automation)


class AutomationUpdateSerializer(serializers.Serializer[Any]):
    """What of an automation is to change."""

    name = serializers.CharField(required=False, max_length=MAX_NAME)
    description = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)
    event = serializers.ChoiceField(choices=AutomationEvent.choices, required=False)
    filter = serializers.JSONField(required=False, help_text=_FILTER)
    action = serializers.ChoiceField(choices=ActionKind.choices, required=False)
    destination = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31, help_text="`id` of a destination of the team."
    )
    mail_to = serializers.ListField(
        child=serializers.CharField(max_length=64), required=False, max_length=MAX_RECIPIENTS,
        help_text="Of an email: usernames of members of the team.",
    )  # fmt: skip
    mail_author = serializers.BooleanField(
        required=False, help_text="Of an email: also the author of the run."
    )
    title = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TITLE)
    message = serializers.CharField(required=False, allow_blank=True, max_length=MAX_TEXT)
    severity = serializers.ChoiceField(choices=Level.choices, required=False)
    payload = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_TEXT,
        help_text='Of a webhook: JSON with `${variables}`; "" takes the webhook\'s.',
    )  # fmt: skip
    once_in_s = serializers.IntegerField(
        required=False, min_value=0, max_value=MAX_ONCE_IN_S, help_text=_ONCE
    )
    is_on = serializers.BooleanField(required=False)


class AutomationCreateSerializer(AutomationUpdateSerializer):
    """What makes an automation."""

    entity = serializers.CharField(help_text="Name of a team, or of yourself.")
    project = serializers.CharField(
        required=False, allow_null=True, help_text="Name of a project; null or absent: all projects."
    )
    collection = serializers.CharField(
        required=False, allow_null=True, max_length=MAX_COLLECTION,
        help_text="Of events of artifacts: name of one of the project's; null or absent: all.",
    )  # fmt: skip
    name = serializers.CharField(max_length=MAX_NAME)
    event = serializers.ChoiceField(choices=AutomationEvent.choices)
    filter = serializers.JSONField(help_text=_FILTER)
    action = serializers.ChoiceField(choices=ActionKind.choices)


class AutomationCopySerializer(serializers.Serializer[Any]):
    """What the copy is called, and where it is."""

    name = serializers.CharField(max_length=MAX_NAME)
    project = serializers.CharField(
        required=False, help_text="Name of another project of the team; absent: where the other is."
    )


class AutomationPreviewSerializer(serializers.Serializer[Any]):
    """What to try."""

    entity = serializers.CharField(help_text="Name of a team, or of yourself.")
    project = serializers.CharField(required=False, allow_null=True)
    event = serializers.ChoiceField(choices=AutomationEvent.choices)
    filter = serializers.JSONField(help_text=_FILTER)
    once_in_s = serializers.IntegerField(
        default=86_400, min_value=0, max_value=MAX_ONCE_IN_S, help_text=_ONCE
    )


class AutomationFiringSerializer(serializers.Serializer[Any]):
    """Once that it would have acted."""

    at = serializers.DateTimeField()
    project = serializers.SerializerMethodField()
    run = serializers.CharField(source="run.uid", default=None, allow_null=True)
    run_name = serializers.CharField(source="run.display_name", default=None, allow_null=True)
    sweep = serializers.CharField(
        source="sweep.uid", default=None, allow_null=True, help_text="Of events of sweeps; these have no run."
    )
    sweep_name = serializers.CharField(source="sweep", default=None, allow_null=True)
    why = serializers.CharField()

    def get_project(self, firing: Firing) -> str:
        """Return the name of the project that the run or sweep is in."""
        about = firing.run or firing.sweep
        return about.project.name if about else ""


class AutomationPreviewResultSerializer(serializers.Serializer[Any]):
    """What an automation would have done in the last 7 days."""

    firings = AutomationFiringSerializer(many=True, help_text="The newest first.")
    runs_looked_at = serializers.IntegerField()
    sweeps_looked_at = serializers.IntegerField()
    is_cut = serializers.BooleanField(
        help_text="Whether there were more runs, sweeps or values than a preview looks at."
    )


class AlertMessageCauseSerializer(serializers.Serializer[Any]):
    """What happened; of a run or an artifact that the caller may not see only that."""

    words = serializers.CharField()
    project = serializers.CharField(source="run.project.name", default=None, allow_null=True)
    run = serializers.CharField(source="run.uid", default=None, allow_null=True)


class AlertMessageSerializer(serializers.ModelSerializer[Message]):
    """A message of an automation or to a destination, with what became of it.

    Of what tells of a run or artifact that the caller may not see, ``request``, ``response`` and ``error`` are blank.
    """

    automation = serializers.IntegerField(source="automation_id", allow_null=True)
    destination = serializers.IntegerField(source="destination_id", allow_null=True)
    state = serializers.ChoiceField(choices=MessageState.choices)
    causes = serializers.SerializerMethodField()
    request = serializers.SerializerMethodField()
    response = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields: ClassVar[list[str]] = [
            "id", "uid", "automation", "destination", "state", "causes", "opened_at", "ended_at", "send_at",
            "attempt_count", "request", "status", "response", "error",
        ]  # fmt: skip

    def _text(self, message: Message, name: str) -> str:
        is_withheld = self.context["executions"][message.pk].is_withheld
        return "" if is_withheld else str(getattr(message, name))

    @extend_schema_field(AlertMessageCauseSerializer(many=True))
    def get_causes(self, message: Message) -> Any:
        """Return what happened, the oldest first."""
        return AlertMessageCauseSerializer(self.context["executions"][message.pk].causes, many=True).data

    def get_request(self, message: Message) -> str:
        """Return what was sent last, secrets masked."""
        return self._text(message, "request")

    def get_response(self, message: Message) -> str:
        """Return the beginning of the last answer."""
        return self._text(message, "response")

    def get_error(self, message: Message) -> str:
        """Return why the last attempt failed."""
        return self._text(message, "error")
