"""REST routes of sweeps."""

from common.rest.routers import Router
from sweeps.api.sweeps import SweepViewSet

router = Router()
router.register("sweeps", SweepViewSet, basename="api-sweep")
urlpatterns = router.urls
