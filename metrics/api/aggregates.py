"""REST: questions over all points of a project's runs."""

import math
from dataclasses import asdict
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.errors import Invalid
from common.formats.numbers import int_param
from metrics.aggregates.best import best_of
from metrics.aggregates.distribution import distribution_of
from runs.access import ProjectAction
from runs.api.serializers import ProjectSerializer
from runs.models import Project, Run
from runs.table import TableQuery
from runs.table.query import matching_ids

MAX_BEST, MAX_BINS = 1000, 500
GOALS = ("minimize", "maximize")


class BestOfKeySerializer(serializers.Serializer[Any]):
    """A run and its best number."""

    id = serializers.IntegerField()
    uid = serializers.CharField(help_text="The run's ID in its address.")
    name = serializers.CharField()
    value = serializers.FloatField()


class BestOfKeyListSerializer(serializers.Serializer[Any]):
    """The best runs, best first."""

    key = serializers.CharField()
    goal = serializers.ChoiceField(choices=GOALS)
    runs = BestOfKeySerializer(many=True)


class DistributionSerializer(serializers.Serializer[Any]):
    """All points of a key in bins of equal width. Without finite points there is neither mean nor bin."""

    key = serializers.CharField()
    runs = serializers.IntegerField(help_text="Runs that have the key.")
    points = serializers.IntegerField(help_text="With NaN and infinities, which lie in no bin.")
    finite = serializers.IntegerField()
    mean = serializers.FloatField(allow_null=True)
    edges = serializers.ListField(child=serializers.FloatField(), help_text="One more than bins, rising.")
    counts = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Points from an edge to before the next; the last bin has both.",
    )


_KEY = query("key", "The key of a metric.", required=True)
_FILTER = query("filter", "Only runs that meet an expression, as in the runs table.")


@declare(ProjectAction.VIEW)
class AggregateViewSet(ScopedViewSet[Project]):
    """What all runs of a project logged, taken together."""

    tag = "Metrics"
    queryset = Project.objects.live().filter(is_registry=False).select_related("team")
    serializer_class = ProjectSerializer
    view_action = ProjectAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "best_runs": ProjectAction.VIEW,
        "distribution": ProjectAction.VIEW,
    }

    @extend_schema(
        parameters=[
            _KEY,
            query(
                "goal", "Whether the smallest or the largest is best.", enum=list(GOALS), default="minimize"
            ),
            query("limit", f"How many runs, at most {MAX_BEST}.", type=int, default=20),
            _FILTER,
        ],
        responses=BestOfKeyListSerializer,
    )
    @action(detail=True)
    def best_runs(self, request: Request, pk: str) -> Response:
        """Return the runs with the best number that they ever logged under a key, of all points."""
        run_ids, key = self._runs_and_key(request)
        goal = request.query_params.get("goal", GOALS[0])
        if goal not in GOALS:
            raise Invalid(f"goal must be {' or '.join(GOALS)}.")
        limit = max(1, int_param(request.query_params, "limit", 20, MAX_BEST))
        found = best_of(run_ids, key, is_largest=goal == "maximize", limit=limit)
        runs = Run.objects.in_bulk([best.run_id for best in found])
        rows = [
            {"id": run.pk, "uid": run.uid, "name": run.display_name, "value": best.value}
            for best in found
            if (run := runs.get(best.run_id))
        ]
        return Response({"key": key, "goal": goal, "runs": rows})

    @extend_schema(
        parameters=[_KEY, query("bins", f"How many, at most {MAX_BINS}.", type=int, default=50), _FILTER],
        responses=DistributionSerializer,
    )
    @action(detail=True)
    def distribution(self, request: Request, pk: str) -> Response:
        """Return how all points of a key are distributed, over all runs."""
        run_ids, key = self._runs_and_key(request)
        bins = max(1, int_param(request.query_params, "bins", 50, MAX_BINS))
        found = distribution_of(run_ids, key, bins=bins)
        mean = found.mean if math.isfinite(found.mean) else None  # the sum of the largest doubles is none
        return Response({"key": key, **asdict(found), "mean": mean})

    def _runs_and_key(self, request: Request) -> tuple[Any, str]:
        """Return the keys of the runs, and the key of the metric.

        Raises:
            Invalid: none is named, or the filter cannot be read.
        """
        key = request.query_params.get("key", "")
        if not key:
            raise Invalid("Name the key of a metric: key=loss.")
        project = self.get_object()
        return matching_ids(actor_of(request), project, TableQuery.of(request.query_params)).ids, key
