"""REST routes of what runs logged."""

from common.rest.routers import Router
from metrics.api.aggregates import AggregateViewSet
from metrics.api.hosts import HostViewSet
from metrics.api.series import HistoryViewSet, SeriesViewSet

router = Router()
router.register("runs", HistoryViewSet, basename="api-history")
router.register("runs", SeriesViewSet, basename="api-series")
router.register("projects", AggregateViewSet, basename="api-aggregate")
router.register("hosts", HostViewSet, basename="api-host")
urlpatterns = router.urls
