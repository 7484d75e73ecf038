"""REST: what is limited, and how much of it is used (wish 19)."""

from typing import Any, ClassVar

from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.engine import visible
from access.limits.registry import LimitGroup, LimitUnit, LimitUsage, limits_now
from access.openapi.schema import query
from access.rest.policy import signed_in
from access.routes import Open, declare
from common.errors import NotFound
from teams.access import TeamAction
from teams.models import Team
from teams.teams.selectors import default_team_of, personal_team_of

_singular: Any = forced_singular_serializer  # it has no types
_RATES = frozenset({LimitUnit.PER_SECOND, LimitUnit.PER_MINUTE, LimitUnit.PER_HOUR})


class KnownLimitSerializer(serializers.Serializer[Any]):
    """Something that is limited."""

    key = serializers.CharField(source="limit.key", help_text='For example "rest.requests"; it stays.')
    group = serializers.ChoiceField(source="limit.group", choices=[group.value for group in LimitGroup])
    label = serializers.CharField(source="limit.label", help_text="What is limited.")  # type: ignore[assignment]  # hides DRF's own
    value = serializers.SerializerMethodField("value_of", help_text="The limit; null is none.")
    unit = serializers.ChoiceField(
        source="limit.unit", choices=[unit.value for unit in LimitUnit], help_text="Of `value` and `used`."
    )
    used = serializers.SerializerMethodField(help_text="How much is used now; null where it is not measured.")
    used_by = serializers.SerializerMethodField(
        help_text="What `used` is of, where several have a limit each: the one that is nearest to it."
    )
    setting = serializers.CharField(
        source="limit.setting", help_text="By which operators change it; or empty."
    )
    outcome = serializers.CharField(source="limit.outcome", help_text="What happens when it is reached.")

    def value_of(self, row: LimitUsage) -> int | None:
        """Return the limit, if there is one."""
        return None if row.limit.unit in _RATES and not row.value else row.value

    def get_used(self, row: LimitUsage) -> int | None:
        """Return how much is used."""
        return None if row.used is None else row.used.amount

    def get_used_by(self, row: LimitUsage) -> str:
        """Return the name of what is nearest to the limit."""
        return row.used.what if row.used else ""


class LimitsSerializer(serializers.Serializer[Any]):
    """All of them."""

    results = KnownLimitSerializer(many=True)


@declare(Open.ANYONE)  # it says 401 to nobody
class LimitViewSet(ViewSet):
    """What this server limits."""

    tag = "Me"
    object_actions: ClassVar[dict[str, str]] = {"list": TeamAction.VIEW}

    @extend_schema(
        parameters=[
            query("entity", "A team, or your own name, for which limits of teams are measured; else yours.")
        ],
        responses=_singular(LimitsSerializer),
    )
    def list(self, request: Request) -> Response:
        """List all limits with your current use and what happens when they are reached.

        Requests are those of the key that asks, in the present minute.
        """
        actor, name = signed_in(request), request.query_params.get("entity", "")
        team = personal_team_of(actor) or default_team_of(actor)  # of a program, its home team
        if name and (team is None or name != team.name):
            team = visible(actor, TeamAction.VIEW, Team.objects.live()).filter(name=name).first()
            if team is None:
                raise NotFound(f"The entity “{name}” doesn’t exist, or you don’t have access to it.")
        return Response({"results": KnownLimitSerializer(limits_now(actor, team), many=True).data})
