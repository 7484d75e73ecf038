"""REST routes of projects and runs."""

from rest_framework.routers import SimpleRouter

from runs.api import ProjectViewSet, RunViewSet

router = SimpleRouter()
router.register("projects", ProjectViewSet, basename="api-project")
router.register("runs", RunViewSet, basename="api-run")
urlpatterns = router.urls
