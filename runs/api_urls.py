"""REST routes of projects and runs."""

from rest_framework.routers import SimpleRouter

from runs.api import FilterViewSet, ProjectViewSet, RunViewSet
from runs.api_views import SavedViewViewSet

router = SimpleRouter()
router.trailing_slash = "/?"  # a redirect would lose what is posted
router.register("projects", ProjectViewSet, basename="api-project")
router.register("runs", RunViewSet, basename="api-run")
router.register("filter", FilterViewSet, basename="api-filter")
router.register("views", SavedViewViewSet, basename="api-view")
urlpatterns = router.urls
