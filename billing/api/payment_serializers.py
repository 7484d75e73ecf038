"""What REST says and hears of payment methods, billing details and changes of plan."""

from datetime import date
from typing import Any

from rest_framework import serializers

from billing.changes.preview import ChangeKind, ChangeSummary
from billing.models import Invoice, PaymentMethod, Subscription
from billing.payments.services import DETAILS
from billing.plans.pricing import MOST_EXTRA_GB


class PaymentMethodSerializer(serializers.ModelSerializer[PaymentMethod]):
    """A way to pay. Numbers of cards are known to the gateway alone."""

    class Meta:
        model = PaymentMethod
        fields = ["id", "gateway", "brand", "last4", "exp_month", "exp_year", "is_default", "created_at"]
        extra_kwargs = {"brand": {"help_text": "Such as `visa`; `bank transfer`."}}


class PaymentMethodCreateSerializer(serializers.Serializer[Any]):
    """What adds a way to pay."""

    setup = serializers.CharField(
        max_length=120, required=False, default="",
        help_text="What the gateway calls the setup that a browser confirmed; empty where one pays by bank transfer.",
    )  # fmt: skip


class PaymentSetupSerializer(serializers.Serializer[Any]):
    """What Stripe's script needs to take a card; both are empty where one pays by bank transfer."""

    client_secret = serializers.CharField()
    publishable_key = serializers.CharField()


class BillingDetailsSerializer(serializers.ModelSerializer[Subscription]):
    """What stands on invoices."""

    class Meta:
        model = Subscription
        fields = list(DETAILS)


class PlanChangeSerializer(serializers.Serializer[Any]):
    """One change: a plan, so much extra storage, or the end of the paid plan."""

    plan = serializers.CharField(required=False, max_length=40, help_text="Key of a plan of its `choices`.")
    extra_storage_gb = serializers.IntegerField(
        required=False, min_value=0, max_value=MOST_EXTRA_GB, help_text="In all, on top of the plan's."
    )
    cancel = serializers.BooleanField(required=False, help_text="`true` ends the paid plan with the period.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Take exactly one."""
        n_chosen = sum(name in attrs for name in ("plan", "extra_storage_gb")) + bool(attrs.get("cancel"))
        if n_chosen != 1:
            raise serializers.ValidationError("Name one of plan, extra_storage_gb and cancel.")
        return attrs


class PlanChangeCreateSerializer(PlanChangeSerializer):
    """A change that was previewed."""

    confirm = serializers.CharField(max_length=300, help_text="`confirm` of the preview that was read.")


class PaymentCreateSerializer(serializers.Serializer[Any]):
    """An invoice that is to be charged now."""

    invoice = serializers.CharField(max_length=60, help_text="Its number.")


class PaymentSerializer(serializers.Serializer[Invoice]):
    """An invoice that is being charged; its status tells later how that went."""

    invoice = serializers.CharField(source="number")
    total_usd = serializers.DecimalField(max_digits=12, decimal_places=2)
    status = serializers.CharField()


class PlanChangeLineSerializer(serializers.Serializer[Any]):
    """A line of the invoice that the change makes."""

    category = serializers.CharField(source="draft.category")
    description = serializers.CharField(source="draft.description")
    amount_usd = serializers.DecimalField(source="draft.amount_usd", max_digits=12, decimal_places=2)


class PlanChangeLimitSerializer(serializers.Serializer[Any]):
    """A limit that changes, in words."""

    label = serializers.CharField()  # type: ignore[assignment]  # DRF's own attribute of this name is not used
    before = serializers.CharField()
    after = serializers.CharField()
    is_less = serializers.BooleanField()


class PlanChangePreviewSerializer(serializers.Serializer[ChangeSummary]):
    """What a change means. Amounts are decimals in US dollars, as text; days are UTC."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in ChangeKind])
    plan_before = serializers.CharField(source="before.plan.key")
    plan_after = serializers.CharField(source="after.plan.key")
    extra_storage_gb_before = serializers.IntegerField(source="before.extra_gb")
    extra_storage_gb_after = serializers.IntegerField(source="after.extra_gb")
    starts = serializers.DateField(help_text="First day of the new terms.")
    now_usd = serializers.DecimalField(max_digits=12, decimal_places=2, help_text="Charged when confirmed.")
    next_regular_usd = serializers.DecimalField(
        source="after.regular_usd", max_digits=12, decimal_places=2, help_text="For a period, in advance."
    )
    next_regular_at = serializers.SerializerMethodField(help_text="When that is charged next.")
    lines = PlanChangeLineSerializer(many=True)
    limits = PlanChangeLimitSerializer(many=True)
    by_days = serializers.BooleanField(
        help_text="What is included counts by days: the new amounts for the days that are left of the period."
    )
    gains = serializers.ListField(child=serializers.CharField())
    losses = serializers.ListField(
        child=serializers.CharField(), help_text="Features, and limits that become lower, in words."
    )
    warnings = serializers.ListField(child=serializers.CharField())
    needs_payment_method = serializers.BooleanField(source="needs_method")
    confirm = serializers.CharField(help_text="Send it back to confirm exactly this.")

    def get_next_regular_at(self, summary: ChangeSummary) -> date:
        """Return it."""
        return summary.period.end


class PlanChangeResultSerializer(serializers.Serializer[Any]):
    """A change that was confirmed."""

    summary = PlanChangePreviewSerializer()
    invoice = serializers.CharField(
        source="invoice.number", default=None, allow_null=True, help_text="The resulting invoice."
    )


class CurrentPlanSerializer(serializers.Serializer[Subscription]):
    """The plan there is, and what is to change when the period ends."""

    plan = serializers.CharField(source="plan.key")
    extra_storage_gb = serializers.IntegerField()
    next_plan = serializers.CharField(source="next_plan.key", default=None, allow_null=True)
    next_extra_storage_gb = serializers.IntegerField(allow_null=True)
