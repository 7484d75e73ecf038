"""Plans and subscriptions for operators (BIL-3): plans are edited, who is on which is changed by acts."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from access.web.requests import actor_of
from accounts.operators.admin_actions import (
    ActionContext,
    AdminAction,
    AdminActionForm,
    AuditedAdmin,
    ServedAdmin,
)
from billing.changes import assignments, trials
from billing.models import Plan, Subscription
from billing.plans import services as plans
from billing.plans.pricing import MOST_EXTRA_GB
from common.errors import DomainError


class PlanForm(forms.ModelForm[Plan]):
    """The rules that hold between fields; `billing.plans.services` has the rest."""

    class Meta:
        model = Plan
        fields = "__all__"  # noqa: DJ007 - operators edit all of a plan

    def _get_validation_exclusions(self) -> set[str]:
        """Leave the constraints of one default to the service, which takes it from the plan before."""
        return {*super()._get_validation_exclusions(), "is_default", "is_personal_default"}  # type: ignore[misc]

    def clean(self) -> dict[str, Any]:
        """Refuse what the service would refuse, beside the field that it is about."""
        data = super().clean() or {}
        if data.get("view_only_seats") is not None and not data.get("has_view_only_role"):
            self.add_error("view_only_seats", "View-only seats require the view-only role.")
        if data.get("extra_storage_price_usd") is not None and data.get("included_storage_gb") is None:
            self.add_error("extra_storage_price_usd", "Storage without a limit cannot be sold in advance.")
        for name in ("is_default", "is_personal_default"):
            if self.instance.pk and getattr(self.instance, name) and not data.get(name):
                self.add_error(name, "One plan must be the default. Make another plan the default instead.")
        return data


@admin.register(Plan)
class PlanAdmin(AuditedAdmin[Plan]):
    """What organizations get and what it costs. A change applies immediately to all who are on the plan."""

    form = PlanForm
    list_display = [
        "name", "key", "price_usd", "seats", "included_storage_gb", "organizations", "personal", "is_offered",
        "is_default", "is_personal_default",
    ]  # fmt: skip
    list_filter = ["is_offered", "by_contact", "is_default"]
    search_fields = ["name", "key", "description"]
    readonly_fields = ["in_use"]
    show_full_result_count = False
    fieldsets = (
        (None, {"fields": ["key", "name", "description", "rank", "in_use"]}),
        ("Availability", {"fields": ["is_offered", "by_contact", "is_default", "is_personal_default", "trial_days"]}),
        ("Price", {"fields": ["price_usd"]}),
        ("Seats", {"fields": ["seats", "view_only_seats"]}),
        ("Tracked hours", {"fields": ["included_hours", "hour_price_usd"]}),
        (
            "Storage",
            {"fields": ["included_storage_gb", "storage_price_usd", "extra_storage_price_usd", "grace_days"]},
        ),
        ("Trace data", {"fields": ["included_ingestion_gb", "ingestion_price_usd"]}),
        (
            "Features",
            {
                "fields": [
                    "has_custom_roles", "has_view_only_role", "has_service_accounts", "has_automations", "has_sso",
                    "has_audit_log", "has_usage_alerts", "alerts_billing_admin_only", "has_many_billing_admins",
                ]
            },
        ),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Plan]:
        """Count in the list's own query."""
        counted = {
            "n_organizations": Count("subscriptions", filter=Q(subscriptions__organization__isnull=False)),
            "n_personal": Count("subscriptions", filter=Q(subscriptions__team__isnull=False)),
        }
        return super().get_queryset(request).annotate(**counted)

    @admin.display(description="organizations", ordering="n_organizations")
    def organizations(self, plan: Plan) -> int:
        """Show how many organizations are on it."""
        return int(getattr(plan, "n_organizations", 0))

    @admin.display(description="personal entities", ordering="n_personal")
    def personal(self, plan: Plan) -> int:
        """Show how many personal entities are on it."""
        return int(getattr(plan, "n_personal", 0))

    @admin.display(description="used by")
    def in_use(self, plan: Plan) -> SafeString | str:
        """Say who is on the plan: changes apply to them immediately."""
        if plan.pk is None:
            return "Nobody yet"
        url = reverse("admin:billing_subscription_changelist") + f"?plan__id__exact={plan.pk}"
        text = '<a href="{}">Organizations: {}, personal entities: {}</a>; changes apply to them at once.'
        return format_html(text, url, self.organizations(plan), self.personal(plan))

    def save_model(self, request: HttpRequest, obj: Plan, form: Any, change: bool) -> None:  # noqa: FBT001
        """Store it by its service, and say how many are on it."""
        plans.save_plan(actor=actor_of(request), plan=obj)
        organizations, personal = plans.subscribers_of(obj)
        if change:
            message = (
                f"It applies at once. Organizations on it: {organizations}, personal entities: {personal}."
            )
            messages.info(request, message)

    def has_delete_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        """Only what nobody is on, one at a time."""
        if obj is None or not super().has_delete_permission(request, obj):
            return False
        in_use = Q(plan=obj.pk) | Q(next_plan=obj.pk) | Q(trial_then=obj.pk)
        is_default = obj.is_default or obj.is_personal_default
        return not is_default and not Subscription.objects.filter(in_use).exists()

    def delete_model(self, request: HttpRequest, obj: Plan) -> None:
        """Delete it by its service."""
        try:
            plans.delete_plan(actor=actor_of(request), plan=obj)
        except DomainError as error:  # somebody chose it meanwhile
            messages.error(request, error.message)


class AssignPlanForm(AdminActionForm):
    """Which plan."""

    plan = forms.ModelChoiceField(Plan.objects.order_by("rank", "pk"))
    reason = forms.CharField(max_length=300, required=False, help_text="Kept in the audit log.")

    def prepare(self) -> None:
        """Begin with the present one."""
        self.fields["plan"].initial = self.row.plan_id


class TrialForm(AdminActionForm):
    """Which plan, and until when."""

    plan = forms.ModelChoiceField(Plan.objects.order_by("rank", "pk"))
    ends_on = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text="UTC.",
    )
    reason = forms.CharField(max_length=300, required=False, help_text="Kept in the audit log.")

    def prepare(self) -> None:
        """Begin with the trial there is, or one of 30 days."""
        ends_at = self.row.trial_ends_at
        self.fields["plan"].initial = self.row.plan_id if ends_at else None
        last = ends_at - timedelta(days=1) if ends_at else timezone.now() + timedelta(days=30)
        self.fields["ends_on"].initial = last.date()


class AssignStorageForm(AdminActionForm):
    """How much more."""

    extra_storage_gb = forms.IntegerField(
        min_value=0,
        max_value=MOST_EXTRA_GB,
        label="Extra storage (GB)",
        help_text="On top of the plan's.",
    )
    reason = forms.CharField(max_length=300, required=False, help_text="Kept in the audit log.")

    def prepare(self) -> None:
        """Begin with what there is."""
        self.fields["extra_storage_gb"].initial = self.row.extra_storage_gb


class AssignPaymentForm(AdminActionForm):
    """How, and when."""

    by_transfer = forms.BooleanField(
        required=False,
        label="Bank transfer",
        help_text="Even with a card on file, which stays there.",
    )
    anchor_day = forms.IntegerField(
        min_value=1,
        max_value=28,
        label="Billing day",
        help_text="Day of the month on which periods begin, UTC. Only in the first period, whose length it changes.",
    )
    reason = forms.CharField(max_length=300, required=False, help_text="Kept in the audit log.")

    def prepare(self) -> None:
        """Begin with how it is."""
        self.fields["by_transfer"].initial = self.row.pays_by_transfer
        self.fields["anchor_day"].initial = self.row.anchor_day


def _assign(doing: ActionContext[Subscription]) -> str:
    row = assignments.assign_plan(actor=doing.actor, subscription=doing.row, **doing.typed)
    return f"{row.payer} is on {row.plan}."


def _start_trial(doing: ActionContext[Subscription]) -> str:
    last, typed = doing.typed["ends_on"], doing.typed
    row = trials.start_trial(
        actor=doing.actor, subscription=doing.row, plan=typed["plan"], reason=typed["reason"],
        ends_at=datetime.combine(last + timedelta(days=1), time(), tzinfo=UTC),
    )  # fmt: skip
    return f"{row.payer} has a trial of {row.plan} until {last}, and {row.trial_then} afterwards."


def _assign_storage(doing: ActionContext[Subscription]) -> str:
    row = assignments.assign_storage(actor=doing.actor, subscription=doing.row, **doing.typed)
    return f"{row.payer} has {row.extra_storage_gb} GB more."


def _assign_payment(doing: ActionContext[Subscription]) -> str:
    row = assignments.assign_payment(actor=doing.actor, subscription=doing.row, **doing.typed)
    how = "by bank transfer" if row.pays_by_transfer else "by the method on file"
    return f"{row.payer} pays {how}; periods begin on day {row.anchor_day}."


@admin.register(Subscription)
class SubscriptionAdmin(ServedAdmin[Subscription]):
    """Who is on which plan, and how they pay."""

    list_display = [
        "payer", "plan", "trial_ends_at", "next_plan", "extra_storage_gb", "over_storage_since", "gateway", "closed_to",
        "created_at",
    ]  # fmt: skip
    list_filter = ["plan", ("over_storage_since", admin.EmptyFieldListFilter), "gateway"]
    list_select_related = ["plan", "next_plan", "organization", "team"]
    search_fields = ["organization__name", "organization__display_name", "team__name", "customer_ref"]
    acts = (
        AdminAction(slug="plan", label="Change plan", form=AssignPlanForm, is_dangerous=True, do=_assign,
            text="Applies at once, whether the plan is offered or not. No invoice is created; a scheduled change is "
            "canceled. The payer can return to earlier plans only if they are offered."),
        AdminAction(slug="trial", label="Start a trial", form=TrialForm, is_dangerous=True, do=_start_trial,
            text="The plan applies at once and is free until the end of the last day, UTC; then the previous plan "
            "returns. Billing admins get an email 7 days and 1 day before. Nothing is deleted when it ends."),
        AdminAction(slug="storage", label="Set extra storage", form=AssignStorageForm, do=_assign_storage,
            text="Applies at once, on top of the plan's storage and without an invoice; the next period is charged for "
            "it if the plan sells storage."),
        AdminAction(slug="payment", label="Change payment", form=AssignPaymentForm, do=_assign_payment,
            text="Applies to invoices from now on; open invoices stay as they are."),
    )  # fmt: skip

    def get_queryset(self, request: HttpRequest) -> QuerySet[Subscription]:
        """Read with each what names it."""
        return super().get_queryset(request).select_related(*self.list_select_related)

    @admin.display(description="payer")
    def payer(self, row: Subscription) -> str:
        """Show whose it is."""
        return str(row.payer)
