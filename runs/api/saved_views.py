"""REST: saved views, named by ``?entity=`` and ``?project=``; `runs.saved_views.selectors` has their specs."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.formats.numbers import parse_int
from common.rest.responses import validated
from runs.access import ProjectAction
from runs.models import Project, SavedView, ViewVersion
from runs.saved_views import services
from runs.saved_views.selectors import (
    Shown,
    get_version,
    get_view,
    no_view,
    shown_view,
    templates_of,
    versions_of,
    views_of,
)
from runs.selectors import project_named_in

PROJECT_PARAMETERS = (
    query("entity", "The team or person whose project it is.", required=True),
    query("project", "The project's name.", required=True),
)
VIEW = query("view", "The number of a saved view.", type=int)


class SavedViewSerializer(serializers.ModelSerializer[SavedView]):
    """A view as a list shows it."""

    entity = serializers.CharField(source="project.team.name")
    project = serializers.CharField(source="project.name")
    user = serializers.CharField(
        source="user.username", default=None, allow_null=True, help_text="null: shared"
    )
    shared = serializers.BooleanField(source="is_shared")
    template = serializers.BooleanField(
        source="is_template", help_text="Whether the other projects of the team offer it."
    )
    saved_by = serializers.CharField(
        source="saved_by.username", default=None, allow_null=True, help_text="Who saved this version."
    )

    class Meta:
        model = SavedView
        fields: ClassVar[list[str]] = [
            "id", "entity", "project", "user", "shared", "template", "name", "version", "saved_by", "saved_at",
            "created_at", "updated_at",
        ]  # fmt: skip


class SavedViewDetailSerializer(SavedViewSerializer):
    """A view with what it holds."""

    class Meta(SavedViewSerializer.Meta):
        fields: ClassVar[list[str]] = [*SavedViewSerializer.Meta.fields, "spec"]


class SavedViewCreateSerializer(serializers.Serializer[Any]):
    """What makes a view."""

    name = serializers.CharField()
    spec = serializers.JSONField()
    shared = serializers.BooleanField(default=False)


class SavedViewUpdateSerializer(serializers.Serializer[Any]):
    """What of a view is to change."""

    name = serializers.CharField(required=False)
    spec = serializers.JSONField(required=False)
    base = serializers.IntegerField(
        required=False, help_text="The version that ``spec`` was made from; another one now is a 409."
    )
    template = serializers.BooleanField(
        required=False, help_text="Whether the other projects of the team offer it; only of shared views."
    )


class ViewVersionSerializer(serializers.ModelSerializer[ViewVersion]):
    """When a view was saved, and by whom."""

    saved_by = serializers.CharField(source="saved_by.username", default=None, allow_null=True)

    class Meta:
        model = ViewVersion
        fields: ClassVar[list[str]] = ["number", "saved_by", "saved_at"]


class ViewVersionDetailSerializer(ViewVersionSerializer):
    """A version with what it holds."""

    class Meta(ViewVersionSerializer.Meta):
        fields: ClassVar[list[str]] = [*ViewVersionSerializer.Meta.fields, "spec"]


class SavedViewWorkingStateSerializer(serializers.Serializer[Any]):
    """The working state."""

    spec = serializers.DictField(help_text="What a whole view holds; empty where nothing was changed.")
    version = serializers.IntegerField(help_text="Of the view that it began from; 0 without one.")
    edited = serializers.BooleanField(source="is_edited", help_text="Whether it differs from the view.")


@declare(ProjectAction.VIEW)
class SavedViewViewSet(ListModelMixin, GenericViewSet[SavedView]):
    """The caller's own views of a project and the shared ones, without their specs."""

    tag = "Views and charts"
    serializer_class = SavedViewSerializer
    object_actions: ClassVar[dict[str, str]] = {
        "list": ProjectAction.VIEW, "create": ProjectAction.VIEW, "retrieve": ProjectAction.VIEW,
        "partial_update": ProjectAction.VIEW, "destroy": ProjectAction.VIEW, "working": ProjectAction.VIEW,
        "merge_working": ProjectAction.VIEW, "discard_draft": ProjectAction.VIEW, "versions": ProjectAction.VIEW,
        "version": ProjectAction.VIEW,
    }  # fmt: skip

    def _project(self) -> Project:
        return project_named_in(actor_of(self.request), self.request.query_params)

    def _view(self) -> SavedView:
        return get_view(actor_of(self.request), parse_int(str(self.kwargs["pk"])) or 0)

    def get_queryset(self) -> QuerySet[SavedView]:
        """Return what the caller may read of the project."""
        actor, project = actor_of(self.request), self._project()
        if self.request.query_params.get("templates", "") in {"1", "true"}:
            return templates_of(actor, project)
        return views_of(actor, project)

    @extend_schema(
        parameters=[
            *PROJECT_PARAMETERS,
            query("templates", "List the team templates of its other projects instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List your own views of a project and the shared ones, without their specs."""
        return super().list(request, *args, **kwargs)

    @extend_schema(
        parameters=[*PROJECT_PARAMETERS],
        request=SavedViewCreateSerializer,
        responses={201: SavedViewDetailSerializer},
    )
    def create(self, request: Request) -> Response:
        """Save a view: ``name``, ``spec``, ``shared`` (default false), which takes ``project.update``."""
        body = validated(SavedViewCreateSerializer, request.data)
        view = services.create_view(actor=actor_of(request), project=self._project(), **body)
        return Response(SavedViewDetailSerializer(view).data, status=HTTP_201_CREATED)

    @extend_schema(responses=SavedViewDetailSerializer)
    def retrieve(self, request: Request, pk: str) -> Response:
        """Return a view with its spec."""
        return Response(SavedViewDetailSerializer(self._view()).data)

    @extend_schema(request=SavedViewUpdateSerializer, responses=SavedViewDetailSerializer)
    def partial_update(self, request: Request, pk: str) -> Response:
        """Change ``name``, ``spec`` or ``template``.

        Other content is the view's next version; what it held is kept among its versions. With ``base``, 409 answers
        where somebody saved the view since, and its detail says which ``version``, ``saved_by`` and ``saved_at``.
        """
        body = validated(SavedViewUpdateSerializer, request.data)
        view = services.change_view(actor=actor_of(request), view=self._view(), **body)
        return Response(SavedViewDetailSerializer(view).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a view."""
        services.delete_view(actor=actor_of(request), view=self._view())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(responses=ViewVersionSerializer(many=True))
    @action(detail=True, pagination_class=None)
    def versions(self, request: Request, pk: str) -> Response:
        """List the last 50 versions of a view, newest first."""
        return Response(ViewVersionSerializer(versions_of(self._view()), many=True).data)

    @extend_schema(
        parameters=[OpenApiParameter("number", int, OpenApiParameter.PATH)],
        responses=ViewVersionDetailSerializer,
    )
    @action(detail=True, url_path=r"versions/(?P<number>[0-9]{1,9})")
    def version(self, request: Request, pk: str, number: str) -> Response:
        """Return a version with its spec. To restore it, save that spec to the view."""
        return Response(ViewVersionDetailSerializer(get_version(self._view(), int(number))).data)

    @extend_schema(parameters=[*PROJECT_PARAMETERS, VIEW], responses=SavedViewWorkingStateSerializer)
    @action(detail=False)
    def working(self, request: Request) -> Response:
        """Return your working state, with the shared default for missing parts.

        With ``?view=`` that view, with your unsaved changes.
        """
        return Response(self._working())

    @extend_schema(
        parameters=[
            *PROJECT_PARAMETERS,
            VIEW,
            query(
                "base",
                "The version that the change began from: of the view, or of the shared default.",
                type=int,
            ),
            query("shared", "Change the shared default instead of your own.", type=bool),
        ],
        request=OpenApiTypes.OBJECT,
        responses=SavedViewWorkingStateSerializer,
    )
    @working.mapping.patch
    def merge_working(self, request: Request) -> Response:
        """Replace the given parts of your working state; null removes a part.

        With ``?view=`` your unsaved changes to that view, which nobody else sees. With ``?shared=1`` the shared
        default, which requires ``project.update``; 409 if it was saved since ``base``.
        """
        actor, project, names = actor_of(request), self._project(), request.query_params
        base = parse_int(names.get("base", ""))
        if names.get("view"):
            services.merge_draft(
                actor=actor,
                view=get_view(actor, parse_int(names["view"]) or 0),
                parts=request.data,
                base=base,
            )
        else:
            shared = names.get("shared", "") in {"1", "true"}
            changed = services.merge_working_view(
                actor=actor, project=project, parts=request.data, shared=shared, base=base
            )
            if shared:
                default = Shown(changed.spec, version=changed.version)
                return Response(SavedViewWorkingStateSerializer(default).data)
        return Response(self._working())

    @extend_schema(responses={204: None})
    @action(detail=True, methods=["delete"], url_path="draft")
    def discard_draft(self, request: Request, pk: str) -> Response:
        """Discard your unsaved changes to a view."""
        services.discard_draft(actor=actor_of(request), view=self._view())
        return Response(status=HTTP_204_NO_CONTENT)

    def _working(self) -> dict[str, Any]:
        shown = shown_view(actor_of(self.request), self._project(), self.request.query_params)
        if shown.is_missing:
            raise no_view()
        return dict(SavedViewWorkingStateSerializer(shown).data)
