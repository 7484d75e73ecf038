"""REST: a run's history and system metrics as files (RUN-43)."""

from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from rest_framework.decorators import action
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from access.rest import ScopedViewSet
from access.routes import declare
from common.errors import Invalid
from metrics.download_views import file_of
from metrics.models import Kind
from runs.access import RunAction
from runs.api import RunSerializer
from runs.models import Run


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


@declare(RunAction.VIEW)
class HistoryViewSet(ScopedViewSet[Run]):
    """What a run logged; ``?format=`` is jsonl (as it came), csv or parquet."""

    queryset = Run.objects.live().select_related("project__team")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    renderer_classes = (JsonLines, Csv, Parquet, JSONRenderer)
    object_actions: ClassVar[dict[str, str]] = {"history": RunAction.VIEW, "system": RunAction.VIEW}

    def _file(self, request: Request, kind: Kind) -> StreamingHttpResponse:
        run = self.get_object()
        wanted = getattr(request.accepted_renderer, "format", "jsonl")
        if wanted == "json":
            raise Invalid("format is jsonl, csv or parquet.")
        return file_of(run, kind, wanted)

    @action(detail=True)
    def history(self, request: Request, pk: str) -> StreamingHttpResponse:
        """Stream the history, whole and exact."""
        return self._file(request, Kind.HISTORY)

    @action(detail=True)
    def system(self, request: Request, pk: str) -> StreamingHttpResponse:
        """Stream the system metrics."""
        return self._file(request, Kind.SYSTEM)
