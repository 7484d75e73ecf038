"""REST: files and console logs of runs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseRedirect, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import require, visible
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.errors import NotFound
from common.formats.numbers import int_param
from common.rest.responses import NamePagination, is_key, is_yes
from common.web.url_paths import ANY, path_of
from runs.access import RunAction
from runs.api.serializers import (
    LogSearchResultSerializer,
    LogWindowSerializer,
    RunFileSerializer,
    RunSerializer,
)
from runs.files.services import delete_run_file
from runs.logs.search import Needle, search
from runs.logs.windows import MAX_LINES, read_window
from runs.models import Run, RunFile
from runs.secrets.readers import reads_secrets
from runs.selectors import files_of
from runs.views.logs import log_file
from storage.signed_urls import tickets

_LONGEST = 10**15


@declare(RunAction.VIEW)
class FileViewSet(ListModelMixin, GenericViewSet[RunFile]):
    """Files of a run."""

    tag = "Files"
    serializer_class = RunFileSerializer
    pagination_class = NamePagination
    lookup_field = "file"
    lookup_value_regex = f"{ANY}?"
    object_actions: ClassVar[dict[str, str]] = {
        "list": RunAction.VIEW, "retrieve": RunAction.VIEW, "destroy": RunAction.DELETE_FILES
    }  # fmt: skip

    def _run(self) -> Run:
        key, actor = str(self.kwargs["run"]), actor_of(self.request)
        rows = visible(actor, RunAction.VIEW, Run.objects.live().select_related("project__team"))
        run = rows.filter(pk=key).first() if is_key(key) else None
        if run is None:
            raise NotFound("This run doesn’t exist, or you don’t have access to it.")
        require(actor, self.object_actions[self.action], run)
        return run

    def get_queryset(self) -> QuerySet[RunFile]:
        """Return the run's files."""
        rows = files_of(self._run())
        prefix = self.request.query_params.get("prefix", "") if self.action == "list" else ""
        return rows.filter(name__startswith=prefix) if prefix else rows

    def get_object(self) -> RunFile:
        """Return one of them."""
        name = path_of(self.kwargs["file"])
        row = self.get_queryset().select_related("run").filter(name=name).first()
        if row is None:
            raise NotFound(f"The run has no file “{name[:200]}”.")
        return row

    @extend_schema(parameters=[query("prefix", "Only files whose path begins so: `media/` is a folder.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List a run's files by path."""
        return super().list(request, *args, **kwargs)

    @extend_schema(responses={302: OpenApiResponse(description="The content is at `Location`.")})
    def retrieve(self, request: Request, **kwargs: str) -> HttpResponseRedirect:
        """Redirect to a file's content at a signed, short-lived URL."""
        row = self.get_object()
        path = tickets.get_path(
            row.blob, name=row.name, content_type=row.content_type, download=True,
            is_masked=not reads_secrets(actor_of(request), row.run),
        )  # fmt: skip
        return HttpResponseRedirect(path)

    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Delete a file."""
        delete_run_file(actor=actor_of(request), file=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)


@declare(RunAction.VIEW)
class LogViewSet(ScopedViewSet[Run]):
    """The console of a run; what looks like a secret is masked."""

    tag = "Logs"
    queryset = Run.objects.live().select_related("project__team", "pulse")
    serializer_class = RunSerializer
    view_action = RunAction.VIEW
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(("logs", "search", "download"), RunAction.VIEW)

    @extend_schema(
        parameters=[
            query("start", "The first line's number, from 0.", type=int, default=0),
            query("limit", f"How many lines, at most {MAX_LINES}.", type=int, default=1000),
        ],
        responses=LogWindowSerializer,
    )
    @action(detail=True)
    def logs(self, request: Request, pk: str) -> Response:
        """Return lines of the console log, without those never received."""
        run, given = self.get_object(), request.query_params
        start, total = int_param(given, "start", 0, _LONGEST), run.pulse.log_lines
        stop = min(total, start + int_param(given, "limit", 1000, MAX_LINES))
        found, masked = read_window(run.pk, start, stop, revealed=False)
        lines = [
            {"n": number, "at": line.at, "level": line.level, "text": line.text} for number, line in found
        ]
        return Response({"total": total, "masked": masked, "lines": lines})

    @extend_schema(
        parameters=[
            query("text", "What to look for, 1 to 500 characters.", required=True),
            query("regex", "Whether it is a regular expression (RE2).", type=bool),
            query("exact", "Whether capitals count.", type=bool),
            query("start", "Search from this line on.", type=int, default=0),
        ],
        responses=LogSearchResultSerializer,
    )
    @action(detail=True, url_path="logs/search")
    def search(self, request: Request, pk: str) -> Response:
        """Search the console log. A request reads for about a second; scanned_to is its position."""
        run, given = self.get_object(), request.query_params
        flags = {"is_regex": is_yes(given, "regex"), "is_exact": is_yes(given, "exact")}
        needle, total = Needle(given.get("text", ""), **flags), run.pulse.log_lines
        start = min(total, int_param(given, "start", 0, _LONGEST))
        found, scanned_to = search(run.pk, needle, start, total, revealed=False)
        return Response({"total": total, "scanned_to": scanned_to, "lines": found})

    @extend_schema(responses={(200, "text/plain"): OpenApiTypes.STR})
    @action(detail=True, url_path="logs/download")
    def download(self, request: Request, pk: str) -> StreamingHttpResponse:
        """Stream the whole console log as text."""
        return log_file(self.get_object(), revealed=False)
