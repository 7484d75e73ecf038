"""Billing admins in the Django admin: operators choose them (BIL-9)."""

from django import forms
from django.contrib import admin

from accounts.operators.admin_actions import ActionContext, AdminAction, AdminActionForm, ServedAdmin
from accounts.operators.admin_forms import UserField
from billing.billing_admins import services as admins
from billing.models import BillingAdmin
from teams.models import Organization

_WHO = "Username or verified address of an organization admin."


class AssignForm(AdminActionForm):
    """Who manages billing."""

    user = UserField(help_text=_WHO)


class NewBillingAdminForm(AssignForm):
    """Whose billing, and who manages it."""

    organization = forms.ModelChoiceField(
        Organization.objects.filter(deleted_at__isnull=True), to_field_name="name", widget=forms.TextInput,
        help_text="Its name.",
    )  # fmt: skip
    field_order = ("organization", "user")


def _assign(doing: ActionContext[BillingAdmin]) -> str:
    organization, user = doing.typed.get("organization") or doing.row.organization, doing.typed["user"]
    lost = admins.assign_billing_admin(actor=doing.actor, organization=organization, user=user)
    instead = f" instead of {', '.join(map(str, lost))}" if lost else ""
    return f"{user} now manages the billing of {organization}{instead}."


def _withdraw(doing: ActionContext[BillingAdmin]) -> None:
    admins.withdraw_billing_admin(actor=doing.actor, organization=doing.row.organization, user=doing.row.user)


@admin.register(BillingAdmin)
class BillingAdminAdmin(ServedAdmin[BillingAdmin]):
    """Who gets an organization's billing mail and manages payment."""

    list_display = ["user", "organization", "created_at"]
    list_select_related = ["user", "organization"]
    search_fields = ["user__username", "user__email", "organization__name"]
    date_hierarchy = "created_at"
    _moves = "On plans with one billing admin, the role moves. Everybody whose role changes gets an email."
    creation = AdminAction(
        slug="add", label="Assign a billing admin", form=NewBillingAdminForm, text=_moves, do=_assign
    )
    acts = (
        AdminAction(slug="assign", label="Assign another billing admin", form=AssignForm, is_dangerous=True,
            text=_moves, do=_assign),
        AdminAction(slug="withdraw", label="Withdraw the role", is_dangerous=True, do=_withdraw,
            text="They are notified by email. The last active billing admin keeps the role."),
    )  # fmt: skip
