"""REST routes of alerts."""

from alerts.api.settings import AlertMuteViewSet, AlertRouteViewSet, AlertSettingsViewSet
from common.rest_routing import Router

router = Router()
router.register("alert-settings", AlertSettingsViewSet, basename="api-alert-settings")
router.register("alert-routes", AlertRouteViewSet, basename="api-alert-route")
router.register("alert-mutes", AlertMuteViewSet, basename="api-alert-mute")
urlpatterns = router.urls
