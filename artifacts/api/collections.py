"""REST: types of artifacts, and collections of versions."""

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from django.db import transaction
from django.db.models import Count, Model, Q, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin, RetrieveModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import visible
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.rest.viewsets import ScopedViewSet
from access.routes import declare
from artifacts.access import ArtifactAction
from artifacts.api.serializers import (
    ArtifactCollectionSerializer,
    ArtifactCollectionUpdateSerializer,
    ArtifactTypeSerializer,
)
from artifacts.collections import services
from artifacts.collections.services import CollectionChanges
from artifacts.models import ArtifactType, Collection
from artifacts.selectors import counted
from common.rest.responses import is_yes, validated
from runs.lifecycle.purge import undo_ended_at
from runs.models import Project

M = TypeVar("M", bound=Model)

_OF_PROJECT = (
    query("entity", "Only those of this team or person."),
    query("project", "Only those of projects that have this name, or had it."),
)

_SHOWN = counted(Collection.objects.select_related("type", "project__team", "created_by")).prefetch_related(
    "tags"
)


def _narrowed(rows: QuerySet[M], request: Request) -> QuerySet[M]:
    """Keep the rows of the entity and project that are asked for."""
    given = request.query_params
    if given.get("entity"):
        rows = rows.filter(project__team__name=given["entity"])
    if given.get("project"):
        rows = rows.filter(project__in=Project.objects.called(str(given["project"])).values("pk"))
    return rows


def tag_changes(body: dict[str, Any], tags: Iterable[str]) -> dict[str, Any]:
    """Take ``tags`` out of what was sent, and return which of them are new and which go."""
    had = set(tags)
    wanted = body.pop("tags", None)
    if wanted is None:
        return {}
    return {
        "tags_to_add": [tag for tag in wanted if tag not in had],
        "tags_to_remove": sorted(had.difference(wanted)),
    }


@declare(ArtifactAction.VIEW)
class ArtifactTypeViewSet(ListModelMixin, GenericViewSet[ArtifactType]):
    """Types of artifacts."""

    tag = "Artifacts"
    serializer_class = ArtifactTypeSerializer
    object_actions: ClassVar[dict[str, str]] = {"list": ArtifactAction.VIEW}

    def get_queryset(self) -> QuerySet[ArtifactType]:
        """Return those with collections, of projects whose artifacts the caller may see."""
        projects = visible(actor_of(self.request), ArtifactAction.VIEW, Project.objects.undeleted())
        live = Count("collections", filter=Q(collections__deleted_at__isnull=True))
        rows = ArtifactType.objects.filter(project__in=projects).select_related("project__team")
        return _narrowed(rows.annotate(collection_count=live).filter(collection_count__gt=0), self.request)

    @extend_schema(parameters=[*_OF_PROJECT])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the artifact types."""
        return super().list(request, *args, **kwargs)


@declare(ArtifactAction.VIEW)
class ArtifactCollectionViewSet(ListModelMixin, RetrieveModelMixin, ScopedViewSet[Collection]):
    """Collections of artifact versions."""

    tag = "Artifacts"
    queryset = _SHOWN
    serializer_class = ArtifactCollectionSerializer
    view_action = ArtifactAction.VIEW
    object_actions: ClassVar[dict[str, str]] = {
        "list": ArtifactAction.VIEW, "retrieve": ArtifactAction.VIEW, "partial_update": ArtifactAction.UPDATE,
        "destroy": ArtifactAction.DELETE, "restore": ArtifactAction.DELETE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Collection]:
        """Return live collections; deleted ones that can be restored where they are asked for."""
        listed, actor = self.action == "list", actor_of(self.request)
        live = Collection.objects.live()
        gone = Collection.objects.filter(
            deleted_at__gt=undo_ended_at(timezone.now()), project__deleted_at__isnull=True
        )
        if self.action == "restore":
            return self.restorable(live, gone)
        wants_gone = listed and is_yes(self.request.query_params, "deleted")
        found = visible(
            actor, *((ArtifactAction.DELETE, gone) if wants_gone else (ArtifactAction.VIEW, live))
        )
        return _SHOWN.filter(pk__in=(self._chosen(found) if listed else found).order_by())

    def _chosen(self, rows: QuerySet[Collection]) -> QuerySet[Collection]:
        given = self.request.query_params
        named = {"type": "type__name", "name": "name", "search": "name__icontains"}
        conditions = {path: given[name] for name, path in named.items() if given.get(name)}
        rows = _narrowed(rows, self.request).filter(**conditions)
        return rows.filter(tags__name=given["tag"]) if given.get("tag") else rows

    @extend_schema(
        parameters=[
            *_OF_PROJECT,
            query("type", "Only collections of this type."),
            query("name", "Only collections of this name."),
            query("search", "Part of the name."),
            query("tag", "Only collections with this tag."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ]
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the collections you can see, newest first."""
        return super().list(request, *args, **kwargs)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return a collection."""
        return super().retrieve(request, *args, **kwargs)

    @extend_schema(request=ArtifactCollectionUpdateSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, pk: str) -> Response:
        """Rename, describe, tag or protect a collection, or change its type or retention.

        All of it or nothing.
        """
        actor, row = actor_of(request), self.get_object()
        body = validated(ArtifactCollectionUpdateSerializer, request.data)
        kind = body.pop("type", None)
        if kind is not None:
            services.change_type(actor=actor, collection=row, type_name=kind)
        tags = tag_changes(body, (tag.name for tag in row.tags.all()))
        changes = CollectionChanges(**body, **tags, has_ttl="ttl_s" in body)
        services.update_collection(actor=actor, collection=row, changes=changes)
        return Response(ArtifactCollectionSerializer(self.get_queryset().get(pk=row.pk)).data)

    def destroy(self, request: Request, pk: str) -> Response:
        """Delete a collection with its versions and links; it can be restored for some days."""
        services.delete_collection(actor=actor_of(request), collection=self.get_object())
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, pk: str) -> Response:
        """Restore a deleted collection with the versions deleted with it."""
        row = services.restore_collection(actor=actor_of(request), collection=self.get_object())
        return Response(ArtifactCollectionSerializer(self.get_queryset().get(pk=row.pk)).data)
