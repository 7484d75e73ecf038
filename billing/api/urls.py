"""REST routes of billing."""

from django.urls import re_path

from billing.api.admins import BillingAdminViewSet
from billing.api.changes import PlanChangeViewSet
from billing.api.invoices import InvoiceViewSet
from billing.api.payment import BillingDetailsViewSet, PaymentMethodViewSet, PaymentViewSet
from billing.api.plans import PlanViewSet, SubscriptionViewSet
from common.rest.routers import Router

_ORGANIZATION = "organizations/(?P<organization>[^/]+)"

router = Router()
# plans and limits
router.register("billing/plans", PlanViewSet, basename="api-plan")
subscription = SubscriptionViewSet.as_view({"get": "retrieve"}, detail=True)
# payment, changes of plan and invoices
router.register(f"{_ORGANIZATION}/payment-methods", PaymentMethodViewSet, basename="api-payment-method")
router.register(f"{_ORGANIZATION}/payments", PaymentViewSet, basename="api-payment")
router.register(f"{_ORGANIZATION}/plan-changes", PlanChangeViewSet, basename="api-plan-change")
router.register(f"{_ORGANIZATION}/invoices", InvoiceViewSet, basename="api-invoice")
details = BillingDetailsViewSet.as_view({"get": "retrieve", "patch": "partial_update"}, detail=False)
# billing admins
router.register(f"{_ORGANIZATION}/billing-admins", BillingAdminViewSet, basename="api-billing-admin")
urlpatterns = [
    re_path(f"^{_ORGANIZATION}/billing/?$", subscription, name="api-subscription"),
    re_path(f"^{_ORGANIZATION}/billing-details/?$", details, name="api-billing-details"),
    *router.urls,
]
