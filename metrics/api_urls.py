"""REST routes of what runs logged."""

from common.rest.routers import Router
from metrics.api import HistoryViewSet, SeriesViewSet
from metrics.api_hosts import HostViewSet

router = Router()
router.register("runs", HistoryViewSet, basename="api-history")
router.register("runs", SeriesViewSet, basename="api-series")
router.register("hosts", HostViewSet, basename="api-host")
urlpatterns = router.urls
