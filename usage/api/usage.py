"""REST: what organizations and teams used (BIL-5), and chargeback at their own prices."""

from datetime import date
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from access.openapi.schema import query
from access.rest.policy import actor_of
from access.routes import declare
from common.errors import Invalid
from common.formats.numbers import int_param
from common.rest.responses import validated
from teams.access import TeamAction
from teams.models import Organization
from teams.teams.selectors import organization_named, shared_team
from usage.access import BillingAction
from usage.chargeback import selectors as chargeback
from usage.chargeback.services import set_prices
from usage.models import InternalPrices, UsageDay
from usage.periods import Period, period_at, period_of
from usage.policy import usage_policy
from usage.reports.report import BY, usage_report
from usage.reports.sums import TeamIds, teams_of
from usage.reports.usage_totals import metered_at, until_between

MAX_ROWS = 10_000


class UsageAmountsSerializer(serializers.Serializer[Any]):
    """What was used. 1 GB is 10⁹ bytes."""

    tracked_hours = serializers.FloatField(help_text="Wall-clock hours in which runs were running, added up.")
    storage_average_gb = serializers.FloatField(help_text="Held on average over the time.")
    storage_end_gb = serializers.FloatField(help_text="Held at its end, or now.")
    ingested_gb = serializers.FloatField(help_text="Trace data taken in.")
    gpu_hours = serializers.FloatField(help_text="Hours of each GPU that runs sampled, added up.")
    energy_kwh = serializers.FloatField(help_text="That those GPUs drew.")
    host_gpu_hours = serializers.FloatField(
        help_text="Hours of GPUs while runs that watch a host sampled them, and no other run. Part of nothing else."
    )
    host_energy_kwh = serializers.FloatField(help_text="That those GPUs drew meanwhile.")


class UsageRowSerializer(UsageAmountsSerializer):
    """One line; it has the fields of what it is by."""

    team = serializers.CharField(required=False, allow_null=True, help_text="By team and by project.")
    project = serializers.CharField(
        required=False, allow_null=True, help_text="null: no project, or one you don’t have access to."
    )
    project_id = serializers.IntegerField(required=False, allow_null=True)
    user = serializers.CharField(required=False, allow_null=True, help_text="null: person unknown.")
    day = serializers.DateField(required=False, help_text="UTC.")
    month = serializers.CharField(required=False, help_text="YYYY-MM, UTC.")
    is_deleted = serializers.BooleanField(required=False, help_text="Whether it was deleted since.")


class UsagePeriodSerializer(serializers.Serializer[Any]):
    """Days in UTC."""

    start = serializers.DateField()
    end = serializers.DateField(help_text="Exclusive.")


class UsageSerializer(serializers.Serializer[Any]):
    """Usage of an organization or a team."""

    period = UsagePeriodSerializer()
    metered_at = serializers.DateTimeField(
        allow_null=True, help_text="Up to when all is counted; null before the meter first ran."
    )
    by = serializers.ChoiceField(choices=BY)
    count = serializers.IntegerField(help_text="How many rows there are.")
    total = UsageAmountsSerializer(help_text="Of all rows.")
    results = UsageRowSerializer(many=True)


class InternalPricesSerializer(serializers.ModelSerializer[InternalPrices]):
    """What an organization charges its own teams; no money moves by it."""

    class Meta:
        model = InternalPrices
        fields: ClassVar[list[str]] = ["currency", "gpu_hour_price", "storage_gb_price", "kwh_price"]


class InternalPricesUpdateSerializer(serializers.Serializer[Any]):
    """What of the prices is to change."""

    currency = serializers.RegexField("^[A-Z]{3}$", required=False, help_text="ISO 4217.")
    gpu_hour_price = serializers.DecimalField(12, 4, required=False, min_value=0)
    storage_gb_price = serializers.DecimalField(
        12, 4, required=False, min_value=0, help_text="For a GB (10⁹ bytes) stored for a month."
    )
    kwh_price = serializers.DecimalField(12, 4, required=False, min_value=0)


class ChargebackCostSerializer(serializers.Serializer[Any]):
    """What was used in a month, and its cost in the prices' currency, each part to the cent."""

    gpu_hours = serializers.FloatField()
    gb_months = serializers.FloatField(help_text="GB (10⁹ bytes), on average over the whole month.")
    kwh = serializers.FloatField()
    host_gpu_hours = serializers.FloatField(
        help_text="While runs that watch a host sampled GPUs, and no other run. No cost has them."
    )
    host_kwh = serializers.FloatField(help_text="That those GPUs drew meanwhile.")
    gpu_cost = serializers.DecimalField(20, 2)
    storage_cost = serializers.DecimalField(20, 2)
    energy_cost = serializers.DecimalField(20, 2)
    total = serializers.DecimalField(20, 2)


class ChargebackRowSerializer(serializers.Serializer[Any]):
    """The cost of a team or a project."""

    team = serializers.CharField(allow_null=True)
    project = serializers.CharField(required=False, allow_null=True, help_text="By project.")
    project_id = serializers.IntegerField(required=False, allow_null=True)
    is_deleted = serializers.BooleanField()
    cost = ChargebackCostSerializer()


class ChargebackSerializer(serializers.Serializer[Any]):
    """A month at the organization's own prices."""

    month = serializers.CharField(help_text="YYYY-MM, UTC.")
    prices = InternalPricesSerializer()
    total = ChargebackCostSerializer(
        help_text="Of the whole amounts: rows, rounded one by one, may differ by cents."
    )
    results = ChargebackRowSerializer(many=True)


def _period(text: str, anchor_day: int) -> Period:
    if not text:
        return period_at(timezone.now(), anchor_day)
    try:
        return period_of(date.fromisoformat(text), anchor_day)
    except ValueError:
        raise Invalid(f"period must be a day such as 2026-03-01, not {text[:40]!r}.") from None


def _one_of(text: str, choices: tuple[str, ...], name: str) -> str:
    if text and text not in choices:
        raise Invalid(f"{name} must be one of {', '.join(choices)}, not {text[:40]!r}.")
    return text or choices[0]


@declare(BillingAction.VIEW)
class UsageViewSet(GenericViewSet[UsageDay]):
    """Tracked hours, storage, trace data and GPU time of an organization, or of one team."""

    tag = "Billing"
    queryset = UsageDay.objects.none()
    serializer_class = UsageSerializer
    pagination_class = None
    object_actions: ClassVar[dict[str, str]] = {"list": BillingAction.VIEW}

    def _whose(self) -> tuple[int, TeamIds]:
        """Return the day on which billing periods begin, and the teams."""
        actor, given = actor_of(self.request), self.request.query_params
        organization, team = given.get("organization", ""), given.get("team", "")
        if bool(organization) == bool(team):
            raise Invalid("Give either organization or team.")
        if team:
            row = shared_team(actor, team, TeamAction.VIEW_USAGE)
            return usage_policy().anchor_day_of(row), [row.pk]
        payer = organization_named(actor, organization, BillingAction.VIEW)
        return usage_policy().anchor_day_of(payer), teams_of(payer)

    @extend_schema(
        responses=forced_singular_serializer(UsageSerializer),  # type: ignore[no-untyped-call]  # it has no types
        parameters=[
            query("organization", "Whose usage; needs `billing.view`."),
            query("team", "Whose usage; needs `team.view_usage`."),
            query(
                "by", "How it is split; by team unless given. By month are the last twelve.", enum=list(BY)
            ),
            query("period", "A day of the billing period; today unless given.", type=OpenApiTypes.DATE),
            query("limit", f"At most so many rows, up to {MAX_ROWS}; 1000 unless given.", type=int),
        ],
    )
    def list(self, request: Request) -> Response:
        """Return usage, most tracked hours first; days and months in order."""
        anchor_day, team_ids = self._whose()
        given = request.query_params
        by = _one_of(given.get("by", ""), BY, "by")
        found = usage_report(
            actor_of(request), team_ids, by=by, period=_period(given.get("period", ""), anchor_day),
            now=timezone.now(), limit=int_param(given, "limit", 1000, MAX_ROWS),
        )  # fmt: skip
        body = {
            "period": {"start": found.period.start, "end": found.period.end}, "metered_at": found.metered_at,
            "by": by, "count": found.count, "total": found.total, "results": found.rows,
        }  # fmt: skip
        return Response(body)


class _OrganizationViewSet(GenericViewSet[InternalPrices]):
    """What is one of each organization."""

    tag = "Billing"
    queryset = InternalPrices.objects.none()
    pagination_class = None
    object_actions: ClassVar[dict[str, str]]

    def _organization(self) -> Organization:
        needed = self.object_actions[self.action]
        return organization_named(actor_of(self.request), self.kwargs["organization"], needed)

    def get_queryset(self) -> QuerySet[InternalPrices]:
        """Return none: rows are found by their organization."""
        return InternalPrices.objects.none()


@declare(BillingAction.VIEW)
class InternalPricesViewSet(_OrganizationViewSet):
    """Prices that an organization charges its own teams, for chargeback."""

    serializer_class = InternalPricesSerializer
    object_actions: ClassVar[dict[str, str]] = {
        "retrieve": BillingAction.VIEW, "partial_update": BillingAction.MANAGE,
    }  # fmt: skip

    def retrieve(self, request: Request, organization: str) -> Response:
        """Return the prices; all are 0 before they are set."""
        return Response(InternalPricesSerializer(chargeback.prices_of(self._organization())).data)

    @extend_schema(request=InternalPricesUpdateSerializer)
    def partial_update(self, request: Request, organization: str) -> Response:
        """Change the prices; requires a billing admin."""
        row, body = self._organization(), validated(InternalPricesUpdateSerializer, request.data)
        now = chargeback.prices_of(row)
        fields = InternalPricesSerializer.Meta.fields
        saved = set_prices(
            actor=actor_of(request), organization=row, **{name: getattr(now, name) for name in fields} | body
        )
        return Response(InternalPricesSerializer(saved).data)


@declare(BillingAction.VIEW)
class ChargebackViewSet(_OrganizationViewSet):
    """What teams and projects would pay for a month at the organization's own prices."""

    serializer_class = ChargebackSerializer
    object_actions: ClassVar[dict[str, str]] = {"list": BillingAction.VIEW}

    @extend_schema(
        responses=forced_singular_serializer(ChargebackSerializer),  # type: ignore[no-untyped-call]  # it has no types
        parameters=[
            query("month", "YYYY-MM; the present one unless given."),
            query("by", "How it is split; by team unless given.", enum=list(chargeback.BY)),
        ],
    )
    def list(self, request: Request, organization: str) -> Response:
        """Return GPU hours, GB, kWh and their cost, most expensive first."""
        row, given = self._organization(), request.query_params
        month = chargeback.month_from(given.get("month", ""), timezone.now())
        found = chargeback.chargeback(
            actor_of(request), row, teams_of(row), month=month,
            until=until_between(month, metered_at()), by=_one_of(given.get("by", ""), tuple(chargeback.BY), "by"),
        )  # fmt: skip
        body = {
            "month": f"{month.start:%Y-%m}", "prices": found.prices, "total": found.total,
            "results": [_row_to_dict(one, found.by) for one in found.rows],
        }  # fmt: skip
        return Response(ChargebackSerializer(body).data)


def _row_to_dict(one: chargeback.ChargebackRow, by: str) -> dict[str, Any]:
    shown = one.name.text if one.name.is_given else None
    place: dict[str, Any] = {"team": shown}
    if by == "project":
        place = {"team": one.name.team or None, "project": shown, "project_id": one.pk or None}
    return {**place, "is_deleted": one.name.is_gone, "cost": one.cost}
