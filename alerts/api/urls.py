"""REST routes of alerts, destinations, secrets and automations."""

from alerts.api.destinations import DestinationViewSet
from alerts.api.secrets import SecretViewSet
from common.rest_routing import Router

router = Router()
router.register("destinations", DestinationViewSet, basename="api-destination")
router.register("webhook-secrets", SecretViewSet, basename="api-webhook-secret")
urlpatterns = router.urls
