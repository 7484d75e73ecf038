"""REST routes of alerts, destinations and secrets."""

from alerts.api.destinations import DestinationViewSet
from alerts.api.secrets import SecretViewSet
from alerts.api.settings import AlertMuteViewSet, AlertRouteViewSet, AlertSettingsViewSet
from common.rest.routers import Router

router = Router()
router.register("destinations", DestinationViewSet, basename="api-destination")
router.register("webhook-secrets", SecretViewSet, basename="api-webhook-secret")
router.register("alert-settings", AlertSettingsViewSet, basename="api-alert-settings")
router.register("alert-routes", AlertRouteViewSet, basename="api-alert-route")
router.register("alert-mutes", AlertMuteViewSet, basename="api-alert-mute")
urlpatterns = router.urls
