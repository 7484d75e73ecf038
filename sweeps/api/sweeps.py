"""REST: sweeps, their agents and trials (RUN-50)."""

from typing import Any, ClassVar

from django.db.models import Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT

from access.actor import Actor
from access.engine import visible
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.errors import Invalid
from common.rest.responses import OldestFirstPagination, is_yes, validated
from runs.api.serializers import BulkActionResultSerializer
from runs.bulk_actions.services import BulkActionResult
from runs.lifecycle.purge import undo_ended_at
from runs.models import Project, Run
from runs.selectors import get_project_by_any_name, listed_runs_of
from sweeps.access import SweepAction, reads_exactly
from sweeps.agents.selectors import agents_of
from sweeps.api.serializers import (
    SweepAgentSerializer,
    SweepCreateSerializer,
    SweepDetailSerializer,
    SweepRunsSerializer,
    SweepSerializer,
    SweepUpdateSerializer,
    TrialSerializer,
)
from sweeps.lifecycle import deletion, services
from sweeps.lifecycle.membership import remove_from_sweep
from sweeps.models import Sweep, SweepState
from sweeps.selectors import best_run, counted, runs_of_sweep, state_counts
from sweeps.trials.results import valued

_ROWS = Sweep.objects.select_related("project__team", "created_by")


def _priors(actor: Actor, project: Project, uids: list[str]) -> list[Run]:
    """Return the runs with these ids, oldest first.

    Raises:
        Invalid: one is not among the runs that the actor sees in the project.
    """
    runs = list(listed_runs_of(actor, project).filter(uid__in=uids).order_by("created_at", "pk"))
    if missing := sorted(set(uids).difference(run.uid for run in runs)):
        raise Invalid(f"prior_runs: the project has no run “{missing[0]}”.")
    return runs


def _result(result: BulkActionResult) -> Response:
    refused = [{"uid": uid, "reason": reason} for uid, reason in result.refused.items()]
    return Response({"done": result.done, "refused": refused, "kept": result.kept})


@declare(SweepAction.VIEW)
class SweepViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Sweep]):
    """Sweeps."""

    tag = "Sweeps"
    queryset = _ROWS
    serializer_class = SweepSerializer
    view_action = SweepAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "list": SweepAction.VIEW, "retrieve": SweepAction.VIEW, "create": SweepAction.CREATE,
        "partial_update": SweepAction.EDIT, "destroy": SweepAction.DELETE, "restore": SweepAction.DELETE,
        "agents": SweepAction.VIEW, "trials": SweepAction.VIEW, "remove_runs": SweepAction.VIEW,
        "pause": SweepAction.STOP, "resume": SweepAction.STOP, "stop": SweepAction.STOP, "cancel": SweepAction.STOP,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Sweep]:
        """Return live sweeps; deleted ones that can be restored where they are asked for."""
        listed, actor = self.action == "list", actor_of(self.request)
        live = Sweep.objects.live()
        gone = Sweep.objects.filter(
            deleted_at__gt=undo_ended_at(timezone.now()), project__deleted_at__isnull=True
        )
        if self.action == "restore":
            return self.restorable(live, gone)
        wants_gone = listed and is_yes(self.request.query_params, "deleted")
        found = visible(actor, *((SweepAction.DELETE, gone) if wants_gone else (SweepAction.VIEW, live)))
        return counted(_ROWS.filter(pk__in=(self._chosen(found) if listed else found).order_by()))

    def _chosen(self, rows: QuerySet[Sweep]) -> QuerySet[Sweep]:
        given = self.request.query_params
        named = {"entity": "project__team__name", "uid": "uid", "state": "state", "method": "method"}
        rows = rows.filter(**{path: given[name] for name, path in named.items() if given.get(name)})
        if given.get("project"):
            rows = rows.filter(project__in=Project.objects.called(str(given["project"])).values("pk"))
        if given.get("search"):
            rows = rows.filter(Q(display_name__icontains=given["search"]) | Q(uid=given["search"]))
        return rows

    def _detail(self, sweep: Sweep) -> dict[str, Any]:
        """Return a sweep as it is now, with all there is to say."""
        actor, row = actor_of(self.request), counted(_ROWS).get(pk=sweep.pk)
        context = {"actor": actor, "best": best_run(actor, row), "states": state_counts(actor, row)}
        return dict(SweepDetailSerializer(row, context=context).data)

    @extend_schema(
        parameters=[
            query("entity", "Only sweeps of this team or person."),
            query("project", "Only sweeps of projects that have this name, or had it."),
            query("uid", "Only the sweep that the SDK knows by this id."),
            query("state", "Only sweeps in this state.", enum=SweepState.values),
            query("method", "Only sweeps with this method: `grid`, `random` or `bayes`."),
            query("search", "Part of the name, or the `uid`."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the sweeps you can see, newest first."""
        return super().list(request, *args, **kwargs)

    @extend_schema(responses=SweepDetailSerializer)
    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a sweep with its configuration, its best run and the states of its runs."""
        return Response(self._detail(self.get_object()))

    @extend_schema(request=SweepCreateSerializer, responses={201: SweepDetailSerializer})
    def create(self, request: Request) -> Response:
        """Create a sweep in a project; agents then request its runs.

        `warnings` of the answer says what of the configuration has no effect.
        """
        actor, body = actor_of(request), validated(SweepCreateSerializer, request.data)
        project = get_project_by_any_name(actor, body["entity"], body["project"])
        sweep, _ = services.create_sweep(
            actor=actor, project=project, config_text=body["config"], display_name=body.get("name", ""),
            description=body.get("description"), priors=_priors(actor, project, body.get("prior_runs", [])),
        )  # fmt: skip
        return Response(self._detail(sweep), status=HTTP_201_CREATED)

    @extend_schema(request=SweepUpdateSerializer, responses=SweepDetailSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change a sweep's configuration, name or description, all or nothing.

        Trials that were handed out stay; later ones follow the new configuration.
        """
        sweep, body = self.get_object(), validated(SweepUpdateSerializer, request.data)
        services.change_sweep(
            actor=actor_of(request), sweep=sweep, config_text=body.get("config"), display_name=body.get("name"),
            description=body.get("description"),
        )  # fmt: skip
        return Response(self._detail(sweep))

    def _change_state(self, request: Request, state: SweepState) -> Response:
        sweep = self.get_object()
        services.change_state(actor=actor_of(request), sweep=sweep, state=state)
        return Response(self._detail(sweep))

    @extend_schema(request=None, responses=SweepDetailSerializer)
    @action(detail=True, methods=["post"])
    def pause(self, request: Request, pk: str) -> Response:
        """Pause a sweep; running runs continue, no new ones start until it is resumed."""
        return self._change_state(request, SweepState.PAUSED)

    @extend_schema(request=None, responses=SweepDetailSerializer)
    @action(detail=True, methods=["post"])
    def resume(self, request: Request, pk: str) -> Response:
        """Resume a paused, stopped or canceled sweep while it has runs left."""
        return self._change_state(request, SweepState.RUNNING)

    @extend_schema(request=None, responses=SweepDetailSerializer)
    @action(detail=True, methods=["post"])
    def stop(self, request: Request, pk: str) -> Response:
        """Stop a sweep; no new runs start, running ones finish on their own."""
        return self._change_state(request, SweepState.FINISHED)

    @extend_schema(request=None, responses=SweepDetailSerializer)
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """Cancel a sweep; agents stop its running runs."""
        return self._change_state(request, SweepState.CANCELED)

    @extend_schema(
        parameters=[query("with_runs", "`true`: its runs are deleted, too.", type=bool)],
        responses={200: BulkActionResultSerializer, 204: None},
    )
    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a sweep; it can be restored for some days.

        Its runs stay unless `with_runs` is true; then the answer names them, and in `refused` those that stayed.
        """
        with_runs = is_yes(request.query_params, "with_runs")
        sweep = self.get_object()
        result = deletion.delete_sweep(actor=actor_of(request), sweep=sweep, with_runs=with_runs)
        return Response(status=HTTP_204_NO_CONTENT) if result is None else _result(result)

    @extend_schema(request=None, responses=SweepDetailSerializer)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Restore a deleted sweep with the runs deleted with it."""
        return Response(
            self._detail(deletion.restore_sweep(actor=actor_of(request), sweep=self.get_object()))
        )

    @extend_schema(request=SweepRunsSerializer, responses=BulkActionResultSerializer)
    @action(detail=True, methods=["post"], url_path="remove-runs")
    def remove_runs(self, request: Request, pk: str) -> Response:
        """Remove up to 1000 runs from a sweep; they stay in the project.

        It takes the right to change each run; those that were left alone are in `refused` with the reason.
        """
        actor, sweep = actor_of(request), self.get_object()
        uids = validated(SweepRunsSerializer, request.data)["uids"]
        keys = list(runs_of_sweep(actor, sweep).filter(uid__in=uids).values_list("pk", flat=True))
        return _result(remove_from_sweep(actor=actor, run_ids=keys))

    @extend_schema(responses=SweepAgentSerializer(many=True))
    @action(detail=True, pagination_class=OldestFirstPagination)
    def agents(self, request: Request, pk: str) -> Response:
        """List the agents of a sweep, oldest first."""
        return self._page(agents_of(self.get_object()), SweepAgentSerializer, {})

    @extend_schema(responses=TrialSerializer(many=True))
    @action(detail=True, pagination_class=OldestFirstPagination)
    def trials(self, request: Request, pk: str) -> Response:
        """List a sweep's trials in order, after the earlier runs that it learns from."""
        sweep = self.get_object()
        context = {"reads_exactly": reads_exactly(actor_of(request), sweep)}
        return self._page(valued(sweep).select_related("agent", "run"), TrialSerializer, context)

    def _page(self, rows: Any, serializer: type[BaseSerializer[Any]], context: dict[str, Any]) -> Response:
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(serializer(page, many=True, context=context).data)
