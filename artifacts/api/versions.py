"""REST: versions of a collection, their aliases, links and lineage."""

import json
from typing import Any, ClassVar, Generic, TypeVar

from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED, HTTP_204_NO_CONTENT
from rest_framework.viewsets import GenericViewSet

from access.engine import can, missing, require, visible
from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from artifacts.access import ArtifactAction
from artifacts.api.collections import tag_changes
from artifacts.api.context import version_detail, version_list
from artifacts.api.serializers import (
    ArtifactLinkCreateSerializer,
    ArtifactVersionDetailSerializer,
    ArtifactVersionSerializer,
    ArtifactVersionUpdateSerializer,
    LineageSerializer,
)
from artifacts.lineage.graph import MAX_DEPTH, USUAL_DEPTH, lineage_of
from artifacts.lineage.selectors import runs_logging, uses_seen
from artifacts.models import Collection, Membership, Version
from artifacts.names import version_number
from artifacts.registries.selectors import link_target
from artifacts.selectors import find_membership, memberships_of, missing_artifact, with_versions
from artifacts.versions import aliases, deletion, links
from artifacts.versions.services import Changes, update_version
from common.formats.numbers import int_param
from common.rest.responses import is_key, is_yes, validated
from runs.api.serializers import RunSerializer
from runs.lifecycle.purge import undo_ended_at
from runs.models import Run
from runs.selectors import get_project_by_any_name

M = TypeVar("M", bound=Model)


class InCollectionViewSet(GenericViewSet[M], Generic[M]):
    """A viewset whose addresses are below a collection."""

    def collection(self) -> Collection:
        """Return the collection of the address, which the caller may see."""
        key = str(self.kwargs["collection"])
        rows = Collection.objects.live().select_related("type", "project__team")
        found = (
            visible(actor_of(self.request), ArtifactAction.VIEW, rows).filter(pk=key) if is_key(key) else None
        )
        collection = found.first() if found is not None else None
        if collection is None:
            raise missing(Collection)
        return collection

    def place(self, collection: Collection) -> Membership:
        """Return the version that the address names by number, alias or digest."""
        place = find_membership(collection, str(self.kwargs["version"]))
        if place is None:
            raise self.no_version(collection)
        return place

    def no_version(self, collection: Collection) -> Exception:
        """Return the refusal of a version that the collection does not have."""
        project = collection.project
        name = f"{collection.name}:{str(self.kwargs['version'])[:80]}"
        return missing_artifact(f"{project.team.name}/{project.name}/{name}")


@declare(ArtifactAction.VIEW)
class ArtifactVersionViewSet(ListModelMixin, InCollectionViewSet[Membership]):
    """Versions of a collection, named by number (`v3`), alias or digest."""

    tag = "Artifacts"
    serializer_class = ArtifactVersionSerializer
    lookup_field = "version"
    lookup_value_regex = "[^/]+"
    object_actions: ClassVar[dict[str, str]] = {
        "list": ArtifactAction.VIEW, "retrieve": ArtifactAction.VIEW, "partial_update": ArtifactAction.UPDATE,
        "destroy": ArtifactAction.DELETE, "restore": ArtifactAction.DELETE, "lineage": ArtifactAction.VIEW,
        "logged_by": ArtifactAction.VIEW, "used_by": ArtifactAction.VIEW, "set_alias": ArtifactAction.SET_ALIAS,
        "delete_alias": ArtifactAction.DELETE_ALIAS, "link": ArtifactAction.CREATE,
    }  # fmt: skip

    def get_queryset(self) -> QuerySet[Membership]:
        """Return the collection's live versions, or those that were deleted and can be restored."""
        collection, given = self.collection(), self.request.query_params
        if not is_yes(given, "deleted"):
            rows = memberships_of(collection)
        elif can(actor_of(self.request), ArtifactAction.DELETE, collection):
            rows = with_versions(_restorable(collection))
        else:
            rows = Membership.objects.none()
        return rows.filter(version__tags__name=given["tag"]) if given.get("tag") else rows

    @extend_schema(
        parameters=[
            query("tag", "Only versions with this tag."),
            query("deleted", "Those that you can restore instead.", type=bool),
        ],
        responses=ArtifactVersionSerializer(many=True),
    )
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the versions of a collection, newest first."""
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response(version_list(actor_of(request), page))

    @extend_schema(responses=ArtifactVersionDetailSerializer)
    def retrieve(self, request: Request, **kwargs: str) -> Response:
        """Return a version with its metadata and links."""
        return Response(version_detail(actor_of(request), self.place(self.collection())))

    @extend_schema(request=ArtifactVersionUpdateSerializer, responses=ArtifactVersionDetailSerializer)
    @transaction.atomic
    def partial_update(self, request: Request, **kwargs: str) -> Response:
        """Describe, tag or protect a version, or change its metadata or retention, all or nothing."""
        collection = self.collection()
        place, body = self.place(collection), validated(ArtifactVersionUpdateSerializer, request.data)
        tags = tag_changes(body, (tag.name for tag in place.version.tags.all()))
        if "metadata" in body:
            body["metadata"] = json.dumps(body["metadata"])
        changes = Changes(**body, **tags, has_ttl="ttl_s" in body)
        update_version(actor=actor_of(request), version=place.version, changes=changes)
        return self._answer(collection, place.index)

    @extend_schema(
        parameters=[query("with_aliases", "Also where the version has aliases, which go with it.", type=bool)]
    )
    def destroy(self, request: Request, **kwargs: str) -> Response:
        """Delete a version; it can be restored for some days. For a linked version, only the link is deleted."""
        actor, collection = actor_of(request), self.collection()
        version = self.place(collection).version
        if collection.is_sequence:
            with_aliases = is_yes(request.query_params, "with_aliases")
            deletion.delete_version(actor=actor, version=version, with_aliases=with_aliases)
        else:
            links.unlink_version(actor=actor, version=version, collection=collection)
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=None, responses=ArtifactVersionDetailSerializer)
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, **kwargs: str) -> Response:
        """Restore a deleted version, given by number, with its links and the aliases that are free."""
        actor, collection = actor_of(request), self.collection()
        require(actor, ArtifactAction.DELETE, collection)
        number = version_number(str(self.kwargs["version"]))
        gone = _restorable(collection).filter(index=-1 if number is None else number)
        place = gone.select_related("version").first() or self.place(collection)
        deletion.restore_version(actor=actor, version=place.version)
        return self._answer(collection, place.index)

    @extend_schema(request=None, responses=ArtifactVersionDetailSerializer)
    @action(detail=True, methods=["put"], url_path="aliases/(?P<alias>[^/]+)")
    def set_alias(self, request: Request, alias: str, **kwargs: str) -> Response:
        """Add an alias to a version, removing it from any other version of the collection."""
        collection = self.collection()
        place = self.place(collection)
        aliases.add_aliases(actor=actor_of(request), membership=place, names=[alias])
        return self._answer(collection, place.index)

    @extend_schema(request=None, responses={204: None})
    @set_alias.mapping.delete
    def delete_alias(self, request: Request, alias: str, **kwargs: str) -> Response:
        """Remove an alias from a version."""
        place = self.place(self.collection())
        aliases.delete_aliases(actor=actor_of(request), membership=place, names=[alias])
        return Response(status=HTTP_204_NO_CONTENT)

    @extend_schema(request=ArtifactLinkCreateSerializer, responses={201: ArtifactVersionDetailSerializer})
    @action(detail=True, methods=["post"], url_path="links")
    def link(self, request: Request, **kwargs: str) -> Response:
        """Link a version to another collection, where everyone who can see its project can see it.

        It takes `artifact.download` on the version and `artifact.create` in the project.
        """
        actor, place = actor_of(request), self.place(self.collection())
        body = validated(ArtifactLinkCreateSerializer, request.data)
        project = link_target(actor, body["entity"], body["project"]) or get_project_by_any_name(
            actor, body["entity"], body["project"]
        )
        made = links.link_version(
            actor=actor,
            version=place.version,
            project=project,
            name=body["collection"],
            aliases=body["aliases"],
        )
        return self._answer(made.collection, made.index, status=HTTP_201_CREATED)

    @extend_schema(
        parameters=[
            query("depth", f"Steps in each direction, 1 to {MAX_DEPTH}.", type=int, default=USUAL_DEPTH)
        ],
        responses=LineageSerializer,
    )
    @action(detail=True)
    def lineage(self, request: Request, **kwargs: str) -> Response:
        """Return the lineage of a version: the runs and versions before and after it.

        The graph goes on only from what you can see.
        """
        depth = max(1, int_param(request.query_params, "depth", USUAL_DEPTH, MAX_DEPTH))
        graph = lineage_of(actor_of(request), self.place(self.collection()), depth)
        return Response(LineageSerializer(graph).data)

    @extend_schema(responses=RunSerializer(many=True))
    @action(detail=True, url_path="logged-by")
    def logged_by(self, request: Request, **kwargs: str) -> Response:
        """List the runs that logged a version and that you can see, newest first."""
        return self._runs(runs_logging(actor_of(request), self.place(self.collection()).version))

    @extend_schema(responses=RunSerializer(many=True))
    @action(detail=True, url_path="used-by")
    def used_by(self, request: Request, **kwargs: str) -> Response:
        """List the runs that used a version and that you can see, newest first."""
        return self._runs(uses_seen(actor_of(request), self.place(self.collection()).version))

    def _runs(self, runs: QuerySet[Run]) -> Response:
        live = runs.filter(deleted_at__isnull=True)
        page: Any = self.paginate_queryset(live)  # type: ignore[arg-type]  # of runs, not versions
        return self.get_paginated_response(RunSerializer(page, many=True).data)

    def _answer(self, collection: Collection, number: int, status: int = 200) -> Response:
        place = memberships_of(collection).get(index=number)
        return Response(version_detail(actor_of(self.request), place), status=status)


def _restorable(collection: Collection) -> QuerySet[Membership]:
    """Return the places of versions that were deleted from a collection and are kept."""
    gone = Version.objects.deleted().filter(deleted_at__gt=undo_ended_at(timezone.now()))
    return Membership.objects.filter(
        collection=collection, version__in=gone, version__collection_id=F("collection_id")
    )
