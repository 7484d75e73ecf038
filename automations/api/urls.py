"""REST routes of automations."""

from automations.api.automations import AutomationViewSet
from automations.api.messages import AlertMessageViewSet
from common.rest.routers import Router

router = Router()
router.register("automations", AutomationViewSet, basename="api-automation")
router.register("alert-messages", AlertMessageViewSet, basename="api-alert-message")
urlpatterns = router.urls
