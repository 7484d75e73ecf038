"""REST routes of people's own things."""

from accounts.api import ApiKeyViewSet
from common.rest_routing import Router

router = Router()
router.register("keys", ApiKeyViewSet, basename="api-key")
urlpatterns = router.urls
