"""REST routes of artifacts."""

from django.urls import re_path

from artifacts.api.collections import ArtifactCollectionViewSet, ArtifactTypeViewSet
from artifacts.api.files import ArtifactFileViewSet
from artifacts.api.registries import RegistryMemberViewSet, RegistryViewSet
from artifacts.api.retention import ArtifactRetentionViewSet
from artifacts.api.runs import RunArtifactViewSet
from artifacts.api.versions import ArtifactVersionViewSet
from common.rest.routers import Router

_VERSIONS = "artifact-collections/(?P<collection>[^/]+)/versions"
_MEMBERS = "registries/(?P<entity>[^/]+)/(?P<registry>[^/]+)/members"

router = Router()
router.register("artifact-types", ArtifactTypeViewSet, basename="api-artifact-type")
router.register("artifact-collections", ArtifactCollectionViewSet, basename="api-artifact-collection")
router.register(rf"{_VERSIONS}/(?P<version>[^/]+)/files", ArtifactFileViewSet, basename="api-artifact-file")
router.register(_VERSIONS, ArtifactVersionViewSet, basename="api-artifact-version")
router.register("artifact-retention", ArtifactRetentionViewSet, basename="api-artifact-retention")
router.register(_MEMBERS, RegistryMemberViewSet, basename="api-registry-member")
router.register("runs", RunArtifactViewSet, basename="api-run-artifact")
_REGISTRY = r"^registries/(?P<entity>[^/]+)/(?P<registry>[^/]+)"
urlpatterns = [
    re_path(
        r"^registries/?$",
        RegistryViewSet.as_view({"get": "list", "post": "create"}),
        name="api-registry-list",
    ),
    re_path(
        rf"{_REGISTRY}/?$",
        RegistryViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
        name="api-registry-detail",
    ),
    re_path(
        rf"{_REGISTRY}/restore/?$", RegistryViewSet.as_view({"post": "restore"}), name="api-registry-restore"
    ),
    *router.urls,
]
