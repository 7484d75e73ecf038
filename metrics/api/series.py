"""REST: a run's history and system metrics as files (RUN-43)."""

from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.errors import Invalid
from common.formats.numbers import int_param
from metrics.models import StreamKind
from metrics.series import selectors
from metrics.series.request_params import kind_of
from metrics.views.downloads import file_of
from runs.access import RunAction
from runs.api.serializers import RunSerializer
from runs.models import Run
from runs.secrets.readers import reads_secrets


class _File(BaseRenderer):
    """Lets ``?format=`` name it; what is streamed is not rendered."""

    def render(self, data: Any, *_: Any, **__: Any) -> bytes:
        """Write an error."""
        return JSONRenderer().render(data)


class JsonLines(_File):
    """One JSON object a line."""

    media_type, format = "application/x-ndjson", "jsonl"


class Csv(_File):
    """A header and a line for each row."""

    media_type, format = "text/csv", "csv"


class Parquet(_File):
    """Columns."""

    media_type, format = "application/vnd.apache.parquet", "parquet"


_FILE = {
    (200, "application/x-ndjson"): OpenApiTypes.STR,
    (200, "text/csv"): OpenApiTypes.STR,
    (200, "application/vnd.apache.parquet"): OpenApiTypes.BINARY,
}
_FORMAT = query("format", "jsonl: the lines as they came.", enum=["jsonl", "csv", "parquet"], default="jsonl")


@declare(RunAction.VIEW)
class HistoryViewSet(ScopedViewSet[Run]):
    """What a run logged, whole and exact; what looks like a secret is masked for those who can't change the run."""

    tag = "Metrics"
    queryset = Run.objects.live().select_related("project__team")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    renderer_classes = (JsonLines, Csv, Parquet, JSONRenderer)
    object_actions: ClassVar[dict[str, str]] = {"history": RunAction.VIEW, "system": RunAction.VIEW}

    def _file(self, request: Request, kind: StreamKind) -> StreamingHttpResponse:
        run = self.get_object()
        form = getattr(request.accepted_renderer, "format", "jsonl")
        if form == "json":
            raise Invalid("format must be jsonl, csv or parquet.")
        return file_of(run, kind, form, revealed=reads_secrets(actor_of(request), run))

    @extend_schema(parameters=[_FORMAT], responses=_FILE)
    @action(detail=True)
    def history(self, request: Request, pk: str) -> StreamingHttpResponse:
        """Stream the complete history."""
        return self._file(request, StreamKind.HISTORY)

    @extend_schema(parameters=[_FORMAT], responses=_FILE)
    @action(detail=True)
    def system(self, request: Request, pk: str) -> StreamingHttpResponse:
        """Stream the complete system metrics."""
        return self._file(request, StreamKind.SYSTEM)


class LoggedKeySerializer(serializers.Serializer[Any]):
    """What was logged under a key."""

    key = serializers.CharField()
    type = serializers.CharField(help_text="number, or what else the values are.")
    count = serializers.IntegerField()
    last = serializers.JSONField(allow_null=True)
    min = serializers.JSONField(allow_null=True)
    max = serializers.JSONField(allow_null=True)


class LoggedKeysSerializer(serializers.Serializer[Any]):
    """Keys by name."""

    keys = LoggedKeySerializer(many=True)
    next = serializers.CharField(allow_null=True, help_text="Where there are more: what to give as `after`.")


class BucketsSerializer(serializers.Serializer[Any]):
    """A key's points along x in buckets, as arrays of one length. What is not finite is text."""

    x = serializers.ListField(child=serializers.JSONField())
    mean = serializers.ListField(child=serializers.JSONField())
    min = serializers.ListField(child=serializers.JSONField())
    max = serializers.ListField(child=serializers.JSONField())
    last = serializers.ListField(child=serializers.JSONField())
    count = serializers.ListField(child=serializers.IntegerField(), help_text="Points in each bucket.")
    runtime = serializers.ListField(child=serializers.JSONField(), help_text="Seconds since the run began.")
    timestamp = serializers.ListField(child=serializers.JSONField(), help_text="Seconds since 1970, UTC.")


class SeriesSerializer(serializers.Serializer[Any]):
    """Buckets by key; keys without numbers are left out."""

    series = serializers.DictField(child=BucketsSerializer())


_KIND = query(
    "kind", "What a run logged, or what its machine measured.", enum=["history", "system"], default="history"
)


@declare(RunAction.VIEW)
class SeriesViewSet(ScopedViewSet[Run]):
    """What a run logged, as charts have it."""

    tag = "Metrics"
    queryset = Run.objects.live().select_related("project__team")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {"keys": RunAction.VIEW, "series": RunAction.VIEW}

    @extend_schema(
        parameters=[_KIND, query("after", "The `next` of the answer before.")], responses=LoggedKeysSerializer
    )
    @action(detail=True)
    def keys(self, request: Request, pk: str) -> Response:
        """Return the logged keys with type, count, last, smallest and largest value, up to 10,000 at once."""
        run, given = self.get_object(), request.query_params
        return Response(selectors.keys_json(run.pk, kind_of(given), after=given.get("after", "")))

    @extend_schema(
        parameters=[
            query("keys", "A key; give it several times for several.", required=True, many=True, type=str),
            query("x", "What the points lie along: `_step`, `_runtime`, `_timestamp` or a logged key."),
            query("buckets", f"Points at most, up to {selectors.MAX_BUCKETS}; fewer points come as they are.",
                  type=int, default=600),
            _KIND,
        ],
        responses=SeriesSerializer,
    )  # fmt: skip
    @action(detail=True)
    def series(self, request: Request, pk: str) -> Response:
        """Return sampled points of given keys: minimum, maximum, mean and last of each bucket."""
        run, given = self.get_object(), request.query_params
        keys = list(dict.fromkeys(given.getlist("keys")))
        if not 1 <= len(keys) <= selectors.MAX_KEYS:
            raise Invalid(f"Name 1 to {selectors.MAX_KEYS} keys; this request names {len(keys)}.")
        buckets = max(1, int_param(given, "buckets", 600, selectors.MAX_BUCKETS))
        found = selectors.series(run.pk, kind_of(given), keys, x=given.get("x", ""), buckets=buckets)
        return Response({"series": found})
