"""REST: runs, and the expressions that choose them."""

from typing import Any, ClassVar

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import ViewSet

from access.actor import Actor
from access.engine import visible
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import Open, declare
from common.formats.strict_json import strict
from common.rest.responses import is_yes, validated
from runs.access import RunAction
from runs.api.pagination import RunPages
from runs.api.serializers import (
    BulkActionResultSerializer,
    BulkActionSerializer,
    RunDetailSerializer,
    RunFilterSerializer,
    RunListItemSerializer,
    RunSerializer,
    RunUpdateSerializer,
)
from runs.bulk_actions import deletion
from runs.bulk_actions.catalogue import BULK_ACTIONS, ON_DELETED
from runs.lifecycle import services as lifecycle
from runs.lifecycle.fields import RunFields
from runs.lifecycle.purge import undo_ended_at
from runs.models import Project, Run
from runs.query.cells import Reader
from runs.query.column_names import named_column
from runs.query.expression import read_expression, tree_of, write_expression
from runs.secrets.readers import reads_secrets
from runs.selectors import deleted_runs_of, get_project_by_any_name, runs_of
from runs.table import TableQuery
from runs.table.query import narrow_runs
from runs.table.rows import WIDE


def _narrowed(rows: QuerySet[Run], given: QueryDict) -> QuerySet[Run]:
    """Keep the runs of an entity, project and id; also those that the agent began by another path."""
    conditions: dict[str, Any] = {"project__team__name": given["entity"]} if given.get("entity") else {}
    if given.get("project"):
        conditions["project__in"] = Project.objects.called(str(given["project"])).values("pk")
    if given.get("uid"):
        conditions["uid"] = given["uid"]
    if "uid" not in conditions:
        return rows.filter(**conditions)
    return rows.filter(Q(**conditions) | Q(**{f"alias__{path}": value for path, value in conditions.items()}))


def _run_detail(actor: Actor, run: Run) -> Any:
    return RunDetailSerializer(run, context={"is_exact": reads_secrets(actor, run)}).data


@declare(RunAction.VIEW)
class RunViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Run]):
    """Runs."""

    tag = "Runs"
    queryset = Run.objects.select_related("project__team", "user", "logged_by", "pulse")
    serializer_class = RunSerializer
    pagination_class = RunPages
    view_action = RunAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "list": RunAction.VIEW, "retrieve": RunAction.VIEW, "stop": RunAction.STOP, "act": RunAction.VIEW,
        "partial_update": RunAction.VIEW, "destroy": RunAction.DELETE, "restore": RunAction.DELETE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Run]:
        """Return live runs; deleted ones that can be restored where they are asked for."""
        given, listed, actor = self.request.query_params, self.action == "list", actor_of(self.request)
        runs = Run.objects.select_related("project__team", "user", "logged_by", "pulse")
        live = runs.live() if not listed or given.get("uid") else runs.listed()
        gone = runs.filter(
            deleted_at__gt=undo_ended_at(timezone.now()), purge_began_at=None, project__deleted_at=None
        )
        if self.action == "restore":
            return self.restorable(live, gone)
        wants_gone = listed and is_yes(given, "deleted")
        rows = visible(actor, *((RunAction.DELETE, gone) if wants_gone else (RunAction.VIEW, live)))
        return _narrowed(rows, given) if listed else rows

    @extend_schema(
        parameters=[
            query("entity", "Only runs of this team or person."),
            query("project", "Only runs of projects that have this name, or had it."),
            query("uid", "Only runs that the SDK knows by this id."),
            query("filter", "An expression, as in the runs table: `config.lr < 0.1 and state = 'finished'`."),
            query("search", "Part of the display name."),
            query(
                "order",
                "Of one project's runs: columns by commas, `-` before one that falls; `-summary.loss,created`.",
            ),
            query("columns", "Columns by commas, whose values come as `columns`: `config.lr,summary.loss`."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ],
        responses=RunListItemSerializer(many=True),
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the runs you can see, newest first or in the given order.

        What a run had before it was rewound is not among them, unless `uid` names it: it is in `archives` of the run.
        """
        conditions = TableQuery.of(request.query_params)
        page = self.paginate_queryset(narrow_runs(self.get_queryset(), conditions).defer(*WIDE)) or []
        found: list[dict[str, Any]] = [dict(one) for one in RunSerializer(page, many=True).data]
        if conditions.columns:
            reader = Reader(map(named_column, conditions.columns))
            rows = reader.rows(Run.objects.filter(pk__in=[run.pk for run in page]))
            values = {pk: [strict(value) for value in row] for pk, _state, row in rows}
            for row in found:
                row["columns"] = dict(zip(conditions.columns, values[row["id"]], strict=True))
        return self.get_paginated_response(found)

    @extend_schema(responses=RunDetailSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a run with its config and summary."""
        return Response(_run_detail(actor_of(request), self.get_object()))

    @extend_schema(request=RunUpdateSerializer, responses=RunDetailSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, pk: str) -> Response:
        """Rename, tag, annotate, group or protect a run, all or nothing."""
        actor, run, body = actor_of(request), self.get_object(), validated(RunUpdateSerializer, request.data)
        protect = body.pop("is_protected", None)
        if protect is not None:
            deletion.protect_run(actor=actor, run=run, is_protected=protect)
        if body or protect is None:
            lifecycle.update_run(actor=actor, run=run, fields=RunFields(**body))
        return Response(_run_detail(actor, self.get_queryset().get(pk=run.pk)))

    @extend_schema(
        parameters=[query("delete_artifacts", "`true`: also the artifact versions that no other run logged.")]
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a run; it can be restored for some days."""
        with_artifacts = request.query_params.get("delete_artifacts") == "true"
        deletion.delete_run(actor=actor_of(request), run=self.get_object(), with_artifacts=with_artifacts)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Restore a deleted run."""
        run = deletion.restore_run(actor=actor_of(request), run=self.get_object())
        return Response(RunSerializer(run).data)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:
        """Ask a run to stop; its program is notified within seconds."""
        run = lifecycle.stop_run(actor=actor_of(request), run=self.get_object())
        return Response(RunSerializer(self.get_queryset().get(pk=run.pk)).data)

    @extend_schema(request=BulkActionSerializer, responses=BulkActionResultSerializer)
    @action(detail=False, methods=["post"])
    def act(self, request: Request) -> Response:
        """Apply one action to up to 1000 runs of a project.

        What may be changed is; each run that was left alone is in `refused` with the reason. `restore` and `purge` are
        for deleted runs.
        """
        actor, body = actor_of(request), validated(BulkActionSerializer, request.data)
        project, name = get_project_by_any_name(actor, body["entity"], body["project"]), body["act"]
        runs = deleted_runs_of(actor, project) if name in ON_DELETED else runs_of(actor, project)
        keys = list(runs.filter(uid__in=body["uids"]).values_list("pk", flat=True))
        result = BULK_ACTIONS[name](actor, keys, body["values"])
        refused = [{"uid": uid, "reason": reason} for uid, reason in result.refused.items()]
        return Response({"done": result.done, "refused": refused, "kept": result.kept})


@declare(Open.ANYONE)
class FilterViewSet(ViewSet):
    """Reads filter expressions; it needs no rights, since it reads nothing else."""

    tag = "Runs"
    object_actions: ClassVar[dict[str, str]] = {"list": RunAction.VIEW}

    @extend_schema(
        parameters=[query("text", "The expression.")],
        responses=forced_singular_serializer(RunFilterSerializer),  # type: ignore[no-untyped-call]  # it has no types
    )
    def list(self, request: Request) -> Response:
        """Parse a filter expression.

        A wrong one answers 400; `detail.position` counts characters from 0, `detail.expected` names what could stand
        there.
        """
        condition = read_expression(request.query_params.get("text", ""))
        return Response({"tree": tree_of(condition), "text": write_expression(condition)})
