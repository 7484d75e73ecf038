"""REST routes of projects and of what runs hold; runs themselves, which also begin there, are at `ingest.api.runs`."""

from common.rest.routers import Router
from runs.api.charts import ChartViewSet
from runs.api.files import FileViewSet, LogViewSet
from runs.api.project_members import (
    AccessRequestViewSet,
    ProjectAccessRequestViewSet,
    ProjectMemberViewSet,
    RestrictedProjectViewSet,
)
from runs.api.projects import ProjectViewSet
from runs.api.runs import FilterViewSet
from runs.api.saved_views import SavedViewViewSet

router = Router()
router.register("projects", ProjectViewSet, basename="api-project")
router.register("projects/(?P<project>[^/]+)/members", ProjectMemberViewSet, basename="api-project-member")
router.register(
    "projects/(?P<project>[^/]+)/access-requests",
    ProjectAccessRequestViewSet,
    basename="api-project-access-request",
)
router.register("access-requests", AccessRequestViewSet, basename="api-access-request")
router.register("restricted-projects", RestrictedProjectViewSet, basename="api-restricted-project")
router.register("runs", LogViewSet, basename="api-log")
router.register("runs/(?P<run>[^/]+)/files", FileViewSet, basename="api-file")
router.register("filter", FilterViewSet, basename="api-filter")
router.register("views", SavedViewViewSet, basename="api-view")
router.register("charts", ChartViewSet, basename="api-chart")
urlpatterns = router.urls
