"""REST: the audit log."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from access.models import AuditEntry
from access.rest.policy import actor_of, signed_in
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from common.rest.responses import NewestFirstPagination, validated
from teams.access import OrganizationAction
from teams.audit.export import entry_to_dict, export
from teams.audit.log import AuditFilter, audit_lines, matching, require_log
from teams.models import Organization
from teams.teams.selectors import organization_named


class AuditEntrySerializer(serializers.Serializer[Any]):
    """What somebody did."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField(help_text="When, UTC.")
    actor = serializers.CharField(help_text="Username at the time.")
    actor_kind = serializers.ChoiceField(["anonymous", "person", "service account", "system"])
    api_key = serializers.CharField(
        allow_null=True, help_text="The visible beginning of the key that was used."
    )
    address = serializers.CharField(help_text="IP address of the request.")
    action = serializers.CharField(help_text="`run.stop`, say.")
    description = serializers.CharField(help_text="The action in words.")
    object_type = serializers.CharField(help_text="Kind of thing: `runs.Run`, say.")
    object_id = serializers.CharField()
    object_name = serializers.CharField(help_text="What the thing was called at the time.")
    organization = serializers.CharField(allow_null=True)
    team = serializers.CharField(allow_null=True)
    before = serializers.DictField(help_text="What the act found, by name.")
    after = serializers.DictField(help_text="What the act left, by name.")


class AuditQuerySerializer(serializers.Serializer[Any]):
    """Which entries; all that are given must hold."""

    organization = serializers.CharField(required=False, help_text="Name of an organization.")
    person = serializers.CharField(required=False, default="", help_text="Username of who acted.")
    action = serializers.CharField(
        required=False, default="", help_text="An action, or a group of them: `run.*`, say."
    )
    kind = serializers.CharField(required=False, default="", help_text="Kind of thing: `runs.Run`, say.")
    team = serializers.CharField(required=False, default="", help_text="Name of a team.")
    address = serializers.CharField(required=False, default="", help_text="IP address.")
    q = serializers.CharField(
        required=False, default="", source="text", help_text="Words in who, what, the name, or what changed."
    )
    since = serializers.DateTimeField(required=False, default=None, help_text="From this time on.")
    until = serializers.DateTimeField(required=False, default=None, help_text="Before this time.")


class AuditPages(NewestFirstPagination):
    """Newest first by cursor."""

    ordering: Any = ("-at", "-pk")


class JsonLines(BaseRenderer):
    """Names the form; what is streamed is written by `teams.audit.export`."""

    media_type = "application/x-ndjson"
    format = "ndjson"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        """Write what is no stream, a refusal, as JSON."""
        return JSONRenderer().render(data, accepted_media_type, renderer_context)


@declare(OrganizationAction.VIEW_AUDIT)
class AuditViewSet(ListModelMixin, ScopedViewSet[AuditEntry]):
    """The audit log: of the organizations that the caller administers, of everything for an elevated operator."""

    tag = "Audit"
    queryset = AuditEntry.objects.all()
    serializer_class = AuditEntrySerializer
    pagination_class = AuditPages
    renderer_classes = (JSONRenderer, JsonLines)
    view_action = OrganizationAction.VIEW_AUDIT
    object_actions: ClassVar[dict[str, str]] = {"list": OrganizationAction.VIEW_AUDIT}

    @extend_schema(parameters=[AuditQuerySerializer])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        """List audit log entries, newest first.

        With `Accept: application/x-ndjson` or `?format=ndjson` all that matches is streamed, an entry a line, without
        pages; that download is written down, too.
        """
        given = validated(AuditQuerySerializer, request.query_params)
        actor, organization = signed_in(request), self._organization(given.pop("organization", ""))
        chosen = AuditFilter(**given)
        if request.accepted_renderer.format == "ndjson":
            return export(actor, chosen, organization, "ndjson")
        require_log(actor, organization)
        page = self.paginate_queryset(matching(actor, chosen, organization)) or []
        rows = [entry_to_dict(line) for line in audit_lines(actor, page)]
        return self.get_paginated_response(rows)

    def _organization(self, name: str) -> Organization | None:
        if not name:
            return None
        return organization_named(actor_of(self.request), name, OrganizationAction.VIEW_AUDIT)
