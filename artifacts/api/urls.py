"""REST routes of artifacts."""

from artifacts.api.collections import ArtifactCollectionViewSet, ArtifactTypeViewSet
from artifacts.api.files import ArtifactFileViewSet
from artifacts.api.retention import ArtifactRetentionViewSet
from artifacts.api.runs import RunArtifactViewSet
from artifacts.api.versions import ArtifactVersionViewSet
from common.rest.routers import Router

_VERSIONS = "artifact-collections/(?P<collection>[^/]+)/versions"

router = Router()
router.register("artifact-types", ArtifactTypeViewSet, basename="api-artifact-type")
router.register("artifact-collections", ArtifactCollectionViewSet, basename="api-artifact-collection")
router.register(rf"{_VERSIONS}/(?P<version>[^/]+)/files", ArtifactFileViewSet, basename="api-artifact-file")
router.register(_VERSIONS, ArtifactVersionViewSet, basename="api-artifact-version")
router.register("artifact-retention", ArtifactRetentionViewSet, basename="api-artifact-retention")
router.register("runs", RunArtifactViewSet, basename="api-run-artifact")
urlpatterns = router.urls
