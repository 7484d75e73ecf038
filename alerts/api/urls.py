"""REST routes of alerts, destinations, secrets and automations."""

from alerts.api.automations import AutomationViewSet
from alerts.api.destinations import DestinationViewSet
from alerts.api.messages import AlertMessageViewSet
from alerts.api.secrets import SecretViewSet
from common.rest_routing import Router

router = Router()
router.register("destinations", DestinationViewSet, basename="api-destination")
router.register("webhook-secrets", SecretViewSet, basename="api-webhook-secret")
router.register("automations", AutomationViewSet, basename="api-automation")
router.register("alert-messages", AlertMessageViewSet, basename="api-alert-message")
urlpatterns = router.urls
