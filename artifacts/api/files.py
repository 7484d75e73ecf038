"""REST: the files of a version."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import HttpResponseRedirect
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.response import Response

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from artifacts.access import ArtifactAction, require_for
from artifacts.api.serializers import ArtifactFileSerializer
from artifacts.api.versions import InCollectionViewSet
from artifacts.models import Entry
from artifacts.selectors import entries_of
from common.errors import NotFound
from common.rest.responses import NewestFirstPagination
from common.web.url_paths import ANY, path_of
from storage.signed_urls import tickets


class PathPagination(NewestFirstPagination):
    """Pages by path, A to Z."""

    ordering = "path"


@declare(ArtifactAction.VIEW)
class ArtifactFileViewSet(ListModelMixin, InCollectionViewSet[Entry]):
    """Files and references of a version."""

    tag = "Artifacts"
    serializer_class = ArtifactFileSerializer
    pagination_class = PathPagination
    lookup_field = "file"
    lookup_value_regex = f"{ANY}?"
    object_actions: ClassVar[dict[str, str]] = {
        "list": ArtifactAction.VIEW,
        "retrieve": ArtifactAction.DOWNLOAD,
    }

    def get_queryset(self) -> QuerySet[Entry]:
        """Return what the version holds."""
        version = self.place(self.collection()).version
        return entries_of(version, prefix=self.request.query_params.get("prefix", ""))

    @extend_schema(parameters=[query("prefix", "Only files whose path begins so: `images/` is a folder.")])
    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """List the files and references of a version by path."""
        return super().list(request, *args, **kwargs)

    @extend_schema(responses={302: OpenApiResponse(description="The content is at `Location`.")})
    def retrieve(self, request: Request, **kwargs: str) -> HttpResponseRedirect:
        """Redirect to a file's content at a signed, short-lived URL."""
        version, path = self.place(self.collection()).version, path_of(self.kwargs["file"])
        require_for(actor_of(request), ArtifactAction.DOWNLOAD, version)
        entry = entries_of(version, [path]).first()
        if entry is None:
            raise NotFound(f"The version has no file “{path[:200]}”.")
        if entry.content is None:
            raise NotFound(f"“{path[:200]}” is a reference; its content is at {entry.reference[:500]}")
        return HttpResponseRedirect(
            tickets.get_path(
                entry.content.blob, name=entry.path, content_type=entry.content_type, download=True
            )
        )
