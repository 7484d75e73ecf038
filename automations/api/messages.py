"""REST: what automations did and destinations were sent (ALR-5, ALR-6)."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from alerts.access import AlertAction
from alerts.models import Message, MessageState
from alerts.outbox.services import retry_message
from automations.access import AutomationAction
from automations.api.serializers import AlertMessageSerializer
from automations.history import executions, seen_messages, with_causes
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination, is_key


@declare(AutomationAction.VIEW)
class AlertMessageViewSet(GenericViewSet[Message]):
    """Messages of automations that the caller sees, and of destinations that they manage; kept for 30 days."""

    tag = "Automations"
    serializer_class = AlertMessageSerializer
    pagination_class = NewestFirstPagination
    queryset = Message.objects.all()
    object_actions: ClassVar[dict[str, str]] = {
        "list": AutomationAction.VIEW, "retrieve": AutomationAction.VIEW, "retry": AlertAction.MANAGE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Message]:
        """Narrow a list to an automation, a destination, a state."""
        rows = with_causes(seen_messages(actor_of(self.request)))
        if self.action != "list":
            return rows
        given = self.request.query_params
        for name in ("automation", "destination"):
            if text := given.get(name):
                rows = rows.filter(**{f"{name}_id": int(text)}) if is_key(text) else rows.none()
        return rows.filter(state=given["state"]) if given.get("state") else rows

    def _shown(self, rows: list[Message]) -> Any:
        read = {one.message.pk: one for one in executions(actor_of(self.request), rows)}
        return AlertMessageSerializer(rows, many=True, context={"executions": read}).data

    def _message(self) -> Message:
        named = str(self.kwargs["pk"])
        row = self.get_queryset().filter(pk=named).first() if is_key(named) else None
        if row is None:
            raise NotFound(_("This message doesn’t exist, or you don’t have access to it."))
        return row

    @extend_schema(
        parameters=[
            query("automation", "Only those of the automation with this id.", type=int),
            query("destination", "Only those to the destination with this id.", type=int),
            query("state", "Only those in this state.", enum=MessageState.values),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the messages of automations and destinations."""
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response(self._shown(list(page)))

    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a message."""
        return Response(self._shown([self._message()])[0])

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """Retry a failed message with a new set of attempts."""
        retry_message(actor=actor_of(request), message=self._message())
        return Response(self._shown([self._message()])[0])
