"""REST routes of usage."""

from django.urls import re_path

from common.rest.routers import Router
from usage.api.storage import StorageViewSet
from usage.api.usage import ChargebackViewSet, InternalPricesViewSet, UsageViewSet

_ORGANIZATION = "organizations/(?P<organization>[^/]+)"

router = Router()
router.register("usage", UsageViewSet, basename="api-usage")
router.register("storage", StorageViewSet, basename="api-storage")
router.register(f"{_ORGANIZATION}/chargeback", ChargebackViewSet, basename="api-chargeback")
prices = InternalPricesViewSet.as_view({"get": "retrieve", "patch": "partial_update"}, detail=False)
urlpatterns = [
    re_path(f"^{_ORGANIZATION}/internal-prices/?$", prices, name="api-internal-prices"),
    *router.urls,
]
