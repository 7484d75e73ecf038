"""REST routes of exports."""

from common.rest.routers import Router
from exports.api.exports import ExportViewSet

router = Router()
router.register("exports", ExportViewSet, basename="api-export")
urlpatterns = router.urls
