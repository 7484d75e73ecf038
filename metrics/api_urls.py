"""REST routes of what runs logged."""

from rest_framework.routers import SimpleRouter

from metrics.api import HistoryViewSet

router = SimpleRouter()
router.register("runs", HistoryViewSet, basename="api-history")
urlpatterns = router.urls
