"""REST: runs with their beginning, and what is logged to them besides the stream itself (`ingest.api.stream`)."""

import dataclasses
from datetime import timedelta
from typing import Any, ClassVar
from urllib.parse import quote

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_200_OK, HTTP_201_CREATED
from rest_framework.viewsets import ViewSet

from access.openapi.schema import query
from access.rest.parsers import LenientJSONParser
from access.rest.policy import actor_of, signed_in
from access.routes import declare
from common.rest.responses import validated
from ingest import services
from ingest.api.serializers import (
    FileNamesSerializer,
    FileUploadListSerializer,
    LoggableRunSerializer,
    RunAlertCreateSerializer,
    RunAlertResultSerializer,
    RunCreateSerializer,
    StreamPostSerializer,
    StreamStatusSerializer,
)
from ingest.api.stream import check_writer
from ingest.authorization.checks import loggable_run
from ingest.selectors import stream_status
from ingest.services import Resume
from runs.access import RunAction
from runs.api import runs as runs_api
from runs.api.serializers import RunSerializer
from runs.config.flatten import wrap_config
from runs.files.code_saving import require_code_saving
from runs.files.services import require_quota_for, upload_paths
from runs.lifecycle.alerts import send_alert
from runs.lifecycle.fields import RunFields
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.names.run_ids import uid_of


def _absolute(request: HttpRequest | Request, path: str) -> str:
    """Return the absolute URL of a path."""
    return request.build_absolute_uri(quote(path, safe="/:=-_.~"))


@declare(RunAction.VIEW)
class RunViewSet(runs_api.RunViewSet):
    """Runs."""

    parser_classes = (LenientJSONParser,)
    large_bodies: ClassVar = frozenset({"create", "partial_update"})
    """Those with a configuration or summary, which are sent whole."""
    object_actions: ClassVar[dict[str, str]] = {**runs_api.RunViewSet.object_actions, "create": RunAction.LOG}

    @extend_schema(
        request=RunCreateSerializer, responses={201: LoggableRunSerializer, 200: LoggableRunSerializer}
    )
    def create(self, request: Request) -> Response:
        """Create a run, or resume one.

        The client chooses `uid`, so a request whose answer was lost is sent again; then with `allow` in the place of
        `never`. 201: it was made now.
        """
        body = validated(RunCreateSerializer, request.data)
        actor = dataclasses.replace(signed_in(request), on_behalf_of=body.pop("user", ""))
        where = {"entity": body.pop("entity"), "project_name": body.pop("project"), "uid": body.pop("uid")}
        resume, config = Resume(body.pop("resume")), body.pop("config", None)
        claimed_at = body.pop("started_at", None)
        if body.pop("attached"):
            begun = services.attach_run(actor=actor, **where)
        else:
            body["display_name"] = body.get("display_name") or None  # a run always has one
            fields = RunFields(**body, config_text=None if config is None else wrap_config(config))
            begun = services.begin_run(
                actor=actor, **where, resume=resume, fields=fields, claimed_at=claimed_at
            )
        run = runs_api.RunViewSet.queryset.get(pk=begun.run.pk)
        details = {
            "url": request.build_absolute_uri(path_of(run)),
            "inserted": begun.inserted,
            "next_step": begun.next_step,
        }
        status = HTTP_201_CREATED if begun.inserted else HTTP_200_OK
        return Response({**RunSerializer(run).data, **details}, status=status)


@declare(RunAction.LOG)
class LoggedRunViewSet(ViewSet):
    """A run that is being logged, by the names in its address."""

    tag = "Logging"
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("offsets", "send", "uploads", "alerts"), RunAction.LOG
    )

    def _run(self) -> Run:
        names = self.kwargs
        return loggable_run(
            signed_in(self.request), (names["entity"], names["project_name"], uid_of(names["uid"]))
        )

    @extend_schema(request=StreamPostSerializer, responses=StreamStatusSerializer)
    def send(self, request: Request, **names: str) -> None:
        """Store what a run logs.

        JSON, or the same as gzip with `Content-Encoding: gzip`. Answered once it is stored for good. Rows and lines
        are numbered by each writer from 0 on: those that are stored already are left out; where some are missing, 409
        with the code `gap` says in `detail.expected` from where to send again, and nothing of the post is stored.
        Rows may have NaN and Infinity as bare words. 503: nothing was stored; send it again.
        """
        # only described here: `ingest.api.stream` answers before Django is reached

    @extend_schema(
        parameters=[query("writer", "Whose offsets are asked for.", required=True)],
        responses=StreamStatusSerializer,
    )
    @action(detail=False, url_path="stream")
    def offsets(self, request: Request, **names: str) -> Response:
        """Return a writer's position, to resume after a crash."""
        writer = check_writer(request.query_params.get("writer"))
        return Response(stream_status(self._run(), writer))

    @extend_schema(request=FileNamesSerializer, responses=FileUploadListSerializer)
    @action(detail=False, methods=["post"])
    def uploads(self, request: Request, **names: str) -> Response:
        """Request upload URLs for files of a run; a file sent again replaces the previous one."""
        run = self._run()
        names_given = validated(FileNamesSerializer, request.data)["names"]
        require_quota_for(run, names_given)
        require_code_saving(run, names_given)
        paths = upload_paths(actor=actor_of(request), run=run, names=names_given)
        uploads = [
            {"name": name, "url": _absolute(request, path), "headers": {}}
            for name, path in zip(names_given, paths, strict=True)
            if path is not None
        ]
        return Response({"uploads": uploads})

    @extend_schema(request=RunAlertCreateSerializer, responses=RunAlertResultSerializer)
    @action(detail=False, methods=["post"])
    def alerts(self, request: Request, **names: str) -> Response:
        """Send an alert."""
        run, body = self._run(), validated(RunAlertCreateSerializer, request.data)
        wait, token = timedelta(seconds=body.pop("wait_s")), body.pop("id")
        sent = send_alert(actor=actor_of(request), run=run, wait=wait, token=token, **body)
        return Response({"sent": sent is not None})


Endpoint = tuple[str, str, str, Any]
"""(path, its expression, method, view), as drf-spectacular has them."""


def describe_stream(endpoints: list[Endpoint]) -> list[Endpoint]:
    """Add to what is described the endpoint that Django never sees."""
    send = LoggedRunViewSet.as_view({"post": "send"})
    addresses = [(path, regex) for path, regex, _, _ in endpoints if path.endswith("/stream/")]
    return [*endpoints, *((path, regex, "POST", send) for path, regex in addresses)]
