"""REST: plans, and the plan of an organization with its limits."""

from typing import Any, ClassVar

from django.conf import settings
from django.db.models import Q
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from access.rest.policy import actor_of, signed_in
from access.routes import Open, declare
from billing.billing_admins.contacts import billing_admin_names
from billing.limits.selectors import Limit, LimitKind, Limits, LimitStatus, limits_of, refused_from
from billing.models import Plan, Subscription
from billing.overview.selectors import is_refused
from billing.plans.selectors import SWITCHES, choosable
from billing.subscriptions.selectors import subscription_of
from teams.teams.selectors import organization_named
from usage.access import BillingAction


def _price(help_text: str) -> serializers.DecimalField:
    """Return a field of a price that may not be there."""
    return serializers.DecimalField(max_digits=12, decimal_places=4, allow_null=True, help_text=help_text)


class PlanFeaturesSerializer(serializers.Serializer[Any]):
    """What a plan includes."""

    view_only_role = serializers.BooleanField(help_text="View-only seats and the view-only role.")
    custom_roles = serializers.BooleanField()
    service_accounts = serializers.BooleanField()
    automations = serializers.BooleanField(help_text="Slack and webhook automations.")
    sso = serializers.BooleanField(help_text="Teams by groups of a provider, and SCIM.")
    audit_log = serializers.BooleanField()
    usage_alerts = serializers.BooleanField()
    many_billing_admins = serializers.BooleanField(help_text="Otherwise only one.")


class PlanSerializer(serializers.Serializer[Any]):
    """What an organization gets and what it costs. 1 GB is 10⁹ bytes; amounts that are null are without limit."""

    key = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    is_offered = serializers.BooleanField(help_text="Billing admins choose it themselves.")
    by_contact = serializers.BooleanField(help_text="Given by who sells plans.")
    price_usd = serializers.DecimalField(
        max_digits=12, decimal_places=4, help_text="For a period, in advance."
    )
    seats = serializers.IntegerField(allow_null=True)
    view_only_seats = serializers.IntegerField(allow_null=True)
    included_hours = serializers.IntegerField(allow_null=True, help_text="Tracked hours in a period.")
    hour_price_usd = _price("For each above; null: not billed.")
    included_storage_gb = serializers.IntegerField(allow_null=True)
    storage_price_usd = _price("For each GB above; null: none is sold.")
    extra_storage_price_usd = _price("For each GB bought in advance; null: none is sold.")
    included_ingestion_gb = serializers.IntegerField(allow_null=True, help_text="Trace data in a period.")
    ingestion_price_usd = _price("For each GB above; null: none is sold.")
    features = serializers.SerializerMethodField()

    @extend_schema_field(PlanFeaturesSerializer)
    def get_features(self, plan: Plan) -> dict[str, bool]:
        """Return each switch."""
        return {name: getattr(plan, f"has_{name}") for name in SWITCHES}


class PlanListSerializer(serializers.Serializer[Any]):
    """The plans that are offered or given by contact, cheapest first."""

    results = PlanSerializer(many=True)


class PlanLimitSerializer(serializers.Serializer[Any]):
    """One limit and what is used of it."""

    kind = serializers.ChoiceField([kind.value for kind in LimitKind])
    unit = serializers.CharField(help_text='"" for seats, h or GB.')
    used = serializers.DecimalField(max_digits=24, decimal_places=6)
    included = serializers.DecimalField(
        max_digits=24, decimal_places=6, allow_null=True, help_text="null: without limit."
    )
    percent = serializers.DecimalField(max_digits=24, decimal_places=2, allow_null=True)
    price_usd = _price("For a unit above; null: none is sold.")
    standing = serializers.ChoiceField(
        [standing.value for standing in LimitStatus], help_text="near from 85 % on, full from 100 % on."
    )


class SubscriptionSerializer(serializers.Serializer[Any]):
    """The plan of an organization, and its limits as they stand."""

    organization = serializers.CharField()
    plan = PlanSerializer()
    next_plan = serializers.CharField(
        allow_null=True, help_text="Key of the plan from the period's end on; null: as now."
    )
    trial_ends_at = serializers.DateTimeField(
        allow_null=True, help_text="The plan is a trial until then; null: it is none."
    )
    choices = serializers.ListField(
        child=serializers.CharField(),
        help_text="Keys of the plans that its billing admins can go to: those on offer, and those that it had before.",
    )
    extra_storage_gb = serializers.IntegerField(help_text="Bought in advance, on top of the plan's.")
    next_extra_storage_gb = serializers.IntegerField(allow_null=True, help_text="null: as now.")
    period_start = serializers.DateField()
    period_end = serializers.DateField(help_text="Exclusive; periods are UTC.")
    billing_admins = serializers.ListField(child=serializers.CharField(), help_text="Usernames.")
    limits_are_enforced = serializers.BooleanField(
        help_text="Whether anything is refused at a limit; metrics and logs never are."
    )
    uploads_refused_from = serializers.DateTimeField(
        allow_null=True,
        help_text="From when on files are refused, unless less is stored; null: they are not.",
    )
    uploads_are_refused = serializers.BooleanField(help_text="Whether files are refused now.")
    limits = PlanLimitSerializer(many=True)


@declare(Open.ANYONE)  # says 401 itself
class PlanViewSet(ViewSet):
    """What organizations may choose from."""

    tag = "Billing"
    object_actions: ClassVar[dict[str, str]] = {"list": BillingAction.VIEW}

    @extend_schema(
        responses=forced_singular_serializer(PlanListSerializer),  # type: ignore[no-untyped-call]  # it has no types
    )
    def list(self, request: Request) -> Response:
        """List the plans on offer and those available on request."""
        signed_in(request)
        rows = Plan.objects.filter(Q(is_offered=True) | Q(by_contact=True)).order_by("rank", "pk")
        return Response({"results": PlanSerializer(rows, many=True).data})


@declare(BillingAction.VIEW)
class SubscriptionViewSet(ViewSet):
    """The plan of an organization."""

    tag = "Billing"
    object_actions: ClassVar[dict[str, str]] = {"retrieve": BillingAction.VIEW}

    @extend_schema(responses=SubscriptionSerializer)
    def retrieve(self, request: Request, organization: str) -> Response:
        """Return the plan of an organization, its period and its limits."""
        row = organization_named(actor_of(request), organization, BillingAction.VIEW)
        subscription = subscription_of(row)
        return Response(
            SubscriptionSerializer(_subscription_to_dict(subscription, limits_of(subscription))).data
        )


def _subscription_to_dict(row: Subscription, state: Limits) -> dict[str, Any]:
    organization = row.organization
    return {
        "organization": str(row.payer),
        "plan": row.plan,
        "next_plan": row.next_plan.key if row.next_plan else None,
        "trial_ends_at": row.trial_ends_at,
        "choices": list(
            choosable(row).exclude(pk=row.plan_id).order_by("rank", "pk").values_list("key", flat=True)
        ),
        "extra_storage_gb": row.extra_storage_gb,
        "next_extra_storage_gb": row.next_extra_storage_gb,
        "period_start": state.period.start,
        "period_end": state.period.end,
        "billing_admins": [] if organization is None else billing_admin_names(organization),
        "limits_are_enforced": settings.ENFORCE_LIMITS,
        "uploads_refused_from": refused_from(row),
        "uploads_are_refused": is_refused(row, state),
        "limits": [_limit_to_dict(limit) for limit in state.all],
    }


def _limit_to_dict(limit: Limit) -> dict[str, Any]:
    percent = limit.percent
    return {
        "kind": limit.kind.value, "unit": limit.unit, "used": round(limit.used, 6), "included": limit.included,
        "percent": None if percent is None else round(percent, 2), "price_usd": limit.price_usd,
        "standing": limit.status.value,
    }  # fmt: skip
