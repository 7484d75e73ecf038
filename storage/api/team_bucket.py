"""REST: the bucket of a team (TEAM-9, TEAM-40)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.rest.policy import actor_of
from access.routes import declare
from common.rest.responses import validated
from storage.api.serializers import TeamBucketSerializer
from storage.models import Bucket
from storage.tasks import move_contents_now
from storage.team_buckets import connector
from storage.team_buckets.probe import refusing_as_conflict
from storage.team_buckets.selectors import storage_of_team
from teams.access import TeamAction
from teams.api.serializers import BucketSerializer, CredentialsSerializer
from teams.models import Team
from teams.teams.selectors import shared_team


@declare(TeamAction.MANAGE_SETTINGS)
class TeamBucketViewSet(GenericViewSet[Any]):
    """Where a team's files lie: its own bucket, or the default storage of the server."""

    tag = "Teams"
    queryset = Bucket.objects.none()
    serializer_class = TeamBucketSerializer
    pagination_class = None
    fresh_actions: ClassVar[frozenset[str]] = frozenset({"update", "partial_update"})
    object_actions: ClassVar[dict[str, str]] = {
        "retrieve": TeamAction.MANAGE_SETTINGS, "update": TeamAction.MANAGE_STORAGE,
        "partial_update": TeamAction.MANAGE_STORAGE, "destroy": TeamAction.MANAGE_STORAGE,
        "check": TeamAction.MANAGE_STORAGE, "retry": TeamAction.MANAGE_STORAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Bucket]:
        """Return none: rows are found by their team."""
        return Bucket.objects.none()

    def _team(self) -> Team:
        return shared_team(actor_of(self.request), self.kwargs["team"], self.object_actions[self.action])

    def _state(self, team: Team) -> Response:
        return Response(TeamBucketSerializer(storage_of_team(actor_of(self.request), team)).data)

    def retrieve(self, request: Request, team: str) -> Response:
        """Return where a team's files are stored, and the progress of a move."""
        return self._state(self._team())

    @extend_schema(request=BucketSerializer, responses=TeamBucketSerializer)
    def update(self, request: Request, team: str) -> Response:
        """Connect a bucket for the team's files, and start moving existing files there.

        The bucket is written to, read, listed and deleted from first, which takes 30 s at most. If anything is refused,
        the answer is 409, says which permission is missing, and nothing changes.
        """
        row, body = self._team(), validated(BucketSerializer, request.data)
        with refusing_as_conflict():
            connector.connect(actor=actor_of(request), team=row, **body)
        move_contents_now()
        return self._state(row)

    @extend_schema(request=CredentialsSerializer, responses=TeamBucketSerializer)
    def partial_update(self, request: Request, team: str) -> Response:
        """Replace the credentials of the team's bucket after checking them."""
        row, body = self._team(), validated(CredentialsSerializer, request.data)
        with refusing_as_conflict():
            connector.replace_credentials(actor=actor_of(request), team=row, **body)
        move_contents_now()
        return self._state(row)

    @extend_schema(responses={200: TeamBucketSerializer})
    def destroy(self, request: Request, team: str) -> Response:
        """Start moving the team's files back to the default storage, where new files go from now on."""
        row = self._team()
        connector.disconnect(actor=actor_of(request), team=row)
        move_contents_now()
        return self._state(row)

    @extend_schema(request=None, responses=TeamBucketSerializer)
    def check(self, request: Request, team: str) -> Response:
        """Check the team's bucket again; error contains the problem."""
        row = self._team()
        connector.check_again(actor=actor_of(request), team=row)
        return self._state(row)

    @extend_schema(request=None, responses=TeamBucketSerializer)
    def retry(self, request: Request, team: str) -> Response:
        """Resume a stopped move now instead of at its scheduled time."""
        row = self._team()
        connector.retry(actor=actor_of(request), team=row)
        move_contents_now()
        return self._state(row)
