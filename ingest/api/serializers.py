"""REST: what beginning a run and logging to it look like."""

from typing import Any, ClassVar

from rest_framework import serializers

from ingest.known_limits import MAX_UPLOADS
from ingest.services import Resume
from runs.api.serializers import RunSerializer
from runs.lifecycle.alerts import LEVELS, MAX_TEXT, MAX_TITLE, MAX_TOKEN
from runs.names.run_ids import MAX_LENGTH
from runs.projects.services import MAX_NAME
from runs.states import RunState
from storage.file_names import MAX_NAME as MAX_FILE_NAME

_LONGEST_WAIT_S = 10**9


def _text(limit: int, words: str = "") -> serializers.CharField:
    return serializers.CharField(max_length=limit, allow_blank=True, required=False, help_text=words)


class RunCreateSerializer(serializers.Serializer[Any]):
    """What begins a run or goes on with one. What is not sent stays, or has no value."""

    entity = serializers.CharField(
        max_length=64, allow_blank=True, default="", help_text="Team or person; empty is the key's default."
    )
    project = serializers.CharField(max_length=MAX_NAME, help_text="Made if it is missing.")
    uid = serializers.CharField(
        max_length=MAX_LENGTH,
        trim_whitespace=False,
        help_text="The client's choice, without : ; , # ? / ' and control characters; unique in its"
        " project, also after deletion.",
    )
    resume = serializers.ChoiceField(
        [(value.value, value.value) for value in Resume], default=Resume.ALLOW.value,
        help_text="`must`: 404 if the run doesn’t exist. `never`: 409 if it does.",
    )  # fmt: skip
    attached = serializers.BooleanField(
        default=False, help_text="Something else logs it: it has to be there, and nothing of it is changed."
    )
    user = _text(254, "A service account's runs are this member's: username or e-mail.")
    display_name = _text(128)
    notes = _text(1_000_000)
    tags = serializers.ListField(child=serializers.CharField(max_length=256), max_length=1000, required=False)
    group = _text(256)
    job_type = _text(256)
    host = _text(256)
    program = _text(1024)
    git_remote = _text(1024)
    git_commit = _text(64)
    started_at = serializers.DateTimeField(
        required=False,
        help_text="When it began, of one that is sent more than a minute later; one ahead or before 2010 is ignored.",
    )
    config = serializers.DictField(
        required=False, help_text="The whole configuration; it can contain NaN and Infinity as bare words."
    )


class LoggableRunSerializer(RunSerializer):
    """A run that can be logged to."""

    url = serializers.CharField(help_text="Its page.")
    inserted = serializers.BooleanField(help_text="Whether the run was created by this request.")
    next_step = serializers.IntegerField(help_text="After the last step of its history.")

    class Meta(RunSerializer.Meta):
        fields: ClassVar[list[str]] = [*RunSerializer.Meta.fields, "url", "inserted", "next_step"]


class StreamRowsSerializer(serializers.Serializer[Any]):
    """Rows, one after the other."""

    offset = serializers.IntegerField(
        min_value=0, max_value=2**53 - 1, help_text="How many this writer sent before."
    )
    rows = serializers.ListField(child=serializers.DictField())
    lost_before = serializers.BooleanField(
        required=False, help_text="What is missing before these is lost: it is shown as a gap."
    )


class StreamLogSerializer(serializers.Serializer[Any]):
    """Lines of the console, one after the other."""

    offset = serializers.IntegerField(
        min_value=0, max_value=2**53 - 1, help_text="How many this writer sent before."
    )
    lines = serializers.ListField(
        child=serializers.CharField(allow_blank=True),
        help_text="`2026-11-22T10:00:00.000000 text`, of stderr `ERROR 2026-…`; one that begins with a carriage"
        " return takes the place of this writer's line before.",
    )
    lost_before = serializers.BooleanField(
        required=False, help_text="What is missing before these is lost: it is shown as a gap."
    )


class StreamFinishSerializer(serializers.Serializer[Any]):
    """The end."""

    exit_code = serializers.IntegerField(help_text="0 is finished, another failed.")
    ended_at = serializers.DateTimeField(required=False, help_text="When that was, if reported later.")


class StreamPostSerializer(serializers.Serializer[Any]):
    """What flows; by itself `writer` is a sign of life."""

    writer = serializers.RegexField(
        r"^[0-9a-f]{16}$", help_text="16 hex digits: a random number for as long as its offsets count on."
    )
    attached = serializers.BooleanField(
        required=False,
        help_text="Something else logs the run: this brings `system` alone, and doesn’t count as a heartbeat.",
    )
    history = StreamRowsSerializer(
        required=False, help_text="With `_step`, `_timestamp` (seconds since 1970, UTC)."
    )
    system = StreamRowsSerializer(required=False, help_text="With `_timestamp`, `_runtime` and `system.…`.")
    log = StreamLogSerializer(required=False)
    config = serializers.DictField(required=False, help_text="Whole; the latest one holds.")
    summary = serializers.DictField(required=False, help_text="Whole; the latest one holds.")
    preempting = serializers.BooleanField(required=False, help_text="The machine is about to be taken away.")
    finish = StreamFinishSerializer(required=False)


class StreamOffsetsSerializer(serializers.Serializer[Any]):
    """By kind, what is expected next."""

    history = serializers.IntegerField()
    system = serializers.IntegerField()
    log = serializers.IntegerField()


class StreamStatusSerializer(serializers.Serializer[Any]):
    """How far a writer has come, and how the run is."""

    offsets = StreamOffsetsSerializer(help_text="What the writer is expected to send next.")
    state = serializers.ChoiceField([(value, value) for value in RunState.values])
    stop_requested = serializers.BooleanField(help_text="Somebody asked the run to stop.")


class FileNamesSerializer(serializers.Serializer[Any]):
    """Which files are to be sent."""

    names = serializers.ListField(
        child=serializers.CharField(max_length=MAX_FILE_NAME, trim_whitespace=False),
        min_length=1, max_length=MAX_UPLOADS, help_text="Slash paths in the run.",
    )  # fmt: skip


class FileUploadSerializer(serializers.Serializer[Any]):
    """Where a file goes."""

    name = serializers.CharField()
    url = serializers.CharField(help_text="PUT the content here, without a key; it soon expires.")
    headers = serializers.DictField(child=serializers.CharField(), help_text="To be sent with it.")


class FileUploadListSerializer(serializers.Serializer[Any]):
    """In the order that was asked for."""

    uploads = FileUploadSerializer(many=True)


class RunAlertCreateSerializer(serializers.Serializer[Any]):
    """An alert."""

    id = serializers.CharField(
        max_length=MAX_TOKEN, help_text="The client's own; the same again changes nothing."
    )
    title = serializers.CharField(max_length=MAX_TITLE)
    text = serializers.CharField(max_length=MAX_TEXT, allow_blank=True, default="")
    level = serializers.ChoiceField([(level, level) for level in LEVELS], default="INFO")
    wait_s = serializers.FloatField(
        min_value=0, max_value=_LONGEST_WAIT_S, default=0,
        help_text="It is not sent when one of the same title was within so many seconds.",
    )  # fmt: skip


class RunAlertResultSerializer(serializers.Serializer[Any]):
    """What became of it."""

    sent = serializers.BooleanField(help_text="No: one of the same title was sent just before.")
