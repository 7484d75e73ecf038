"""REST: a team's machines and their GPUs."""

from typing import Any, ClassVar

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.errors import Invalid
from metrics.hardware.hosts import cluster_of
from metrics.hardware.machines import GPU_STATES
from runs.access import RunAction
from runs.models import Run
from runs.selectors import get_team


class HostRunSerializer(serializers.Serializer[Any]):
    """A run on a machine."""

    id = serializers.IntegerField(source="pk")
    uid = serializers.CharField()
    project = serializers.CharField(source="project.name")
    display_name = serializers.CharField()
    user = serializers.CharField(source="user.username", default=None, allow_null=True)


class GpuSerializer(serializers.Serializer[Any]):
    """A GPU, once for all runs that see it; null is what nobody sampled."""

    index = serializers.IntegerField()
    uuid = serializers.CharField(allow_blank=True)
    name = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(
        list(GPU_STATES),
        help_text="stale: no sample for three minutes. unwatched: all runs on the host have ended.",
    )
    use_percent = serializers.FloatField(allow_null=True)
    memory_bytes = serializers.IntegerField(allow_null=True, help_text="Its size.")
    memory_used_bytes = serializers.FloatField(source="used_bytes", allow_null=True)
    memory_percent = serializers.FloatField(allow_null=True)
    temperature_celsius = serializers.FloatField(source="temperature", allow_null=True)
    power_watts = serializers.FloatField(allow_null=True)
    sampled_at = serializers.DateTimeField(source="sampled", allow_null=True)
    runs = HostRunSerializer(source="users", many=True, help_text="The owner of the processes using it.")


class HostSerializer(serializers.Serializer[Any]):
    """A machine; containers that see the same GPU are one."""

    name = serializers.CharField()
    other_names = serializers.SerializerMethodField()
    os = serializers.CharField(allow_blank=True)
    cpu_count = serializers.IntegerField(allow_null=True)
    memory_bytes = serializers.IntegerField(allow_null=True)
    cpu_percent = serializers.FloatField(allow_null=True, help_text="As the agent of the machine samples it.")
    memory_percent = serializers.FloatField(allow_null=True)
    is_monitored = serializers.BooleanField(help_text="Whether `runyard-agent host` watches it now.")
    seen_at = serializers.DateTimeField(allow_null=True, help_text="Last sign of life of a run on it.")
    sampled_at = serializers.DateTimeField(source="sampled", allow_null=True)
    is_live = serializers.BooleanField(help_text="Whether a run on it is active, the agent's included.")
    runs = HostRunSerializer(many=True, help_text="Active ones; the agent's own is not listed.")
    gpus = GpuSerializer(many=True)

    def get_other_names(self, host: Any) -> list[str]:
        """Return the names that containers give it."""
        return sorted(host.also)


class HostTotalsSerializer(serializers.Serializer[Any]):
    """Counted over all machines."""

    hosts = serializers.IntegerField()
    gpus = serializers.IntegerField()
    busy = serializers.IntegerField()
    idle = serializers.IntegerField()
    stale = serializers.IntegerField()
    unwatched = serializers.IntegerField()


class ClusterSerializer(serializers.Serializer[Any]):
    """The machines of an entity."""

    totals = HostTotalsSerializer()
    is_cut = serializers.BooleanField(help_text="More runs are active than were looked at.")
    hosts = HostSerializer(many=True)


@declare(RunAction.VIEW)
class HostViewSet(GenericViewSet[Run]):
    """Machines on which runs run."""

    tag = "Metrics"
    queryset = Run.objects.none()
    serializer_class = ClusterSerializer
    pagination_class = None
    object_actions: ClassVar[dict[str, str]] = {"list": RunAction.VIEW}

    @extend_schema(
        parameters=[query("entity", "The team or person whose runs are meant.", required=True)],
        responses=forced_singular_serializer(ClusterSerializer),  # type: ignore[no-untyped-call]  # it has no types
    )
    def list(self, request: Request) -> Response:
        """Return the machines of visible runs active in the last day, each GPU once.

        Values are the newest that any run sampled. A GPU is busy when something ran on it at least 5 % of the time, or
        when a process of a run holds it.
        """
        entity = request.query_params.get("entity", "")
        if not entity:
            raise Invalid("Name an `entity`.")
        actor = actor_of(request)
        return Response(ClusterSerializer(cluster_of(actor, get_team(actor, entity))).data)
