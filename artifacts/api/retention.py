"""REST: how long teams keep their artifacts."""

from typing import ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from artifacts.access import ArtifactAction
from artifacts.retention.policy import preview_policy, set_team_policy, team_ttl
from artifacts.versions.time_to_live import MAX_TTL_S
from common.errors import Invalid
from common.formats.numbers import parse_int
from common.rest.responses import validated
from teams.api.teams import ANY_NAME
from teams.models import Team
from teams.teams.selectors import shared_team


class RetentionSerializer(serializers.Serializer[dict[str, int]]):
    """The time to live of a team's artifacts."""

    ttl_s = serializers.IntegerField(
        min_value=0, max_value=MAX_TTL_S, help_text="Seconds from the commit on; 0: forever."
    )


class RetentionPreviewSerializer(serializers.Serializer[dict[str, int]]):
    """What a time to live would delete within 30 days."""

    version_count = serializers.IntegerField(help_text="Versions that would be deleted.")
    size_bytes = serializers.IntegerField(help_text="Their bytes added up.")


@declare(ArtifactAction.SET_RETENTION)
class ArtifactRetentionViewSet(ViewSet):
    """How long a team keeps the versions of artifacts where neither version nor artifact says."""

    tag = "Artifacts"
    lookup_field = "team"
    lookup_value_regex = ANY_NAME
    object_actions: ClassVar[dict[str, str]] = dict.fromkeys(
        ("retrieve", "update", "preview"), ArtifactAction.SET_RETENTION
    )

    def _team(self, request: Request, name: str) -> Team:
        return shared_team(actor_of(request), name, ArtifactAction.SET_RETENTION)

    @extend_schema(responses=RetentionSerializer)
    def retrieve(self, request: Request, team: str) -> Response:
        """Return a team's default artifact retention."""
        return Response({"ttl_s": team_ttl(self._team(request, team))})

    @extend_schema(request=RetentionSerializer, responses=RetentionSerializer)
    def update(self, request: Request, team: str) -> Response:
        """Set a team's default artifact retention."""
        row = self._team(request, team)
        given = validated(RetentionSerializer, request.data)
        set_team_policy(actor=actor_of(request), team=row, ttl_s=given["ttl_s"])
        return Response(given)

    @extend_schema(
        parameters=[query("ttl_s", "The time to live to try, in seconds.", type=int, required=True)],
        responses=RetentionPreviewSerializer,
    )
    @action(detail=True)
    def preview(self, request: Request, team: str) -> Response:
        """Preview what a retention would delete within 30 days."""
        row = self._team(request, team)
        ttl_s = parse_int(request.query_params.get("ttl_s", ""), MAX_TTL_S)
        if ttl_s is None:
            raise Invalid(f"`ttl_s` must be a number of seconds from 0 to {MAX_TTL_S}.")
        found = preview_policy(actor=actor_of(request), team=row, ttl_s=ttl_s)
        return Response({"version_count": found.version_count, "size_bytes": found.size_bytes})
