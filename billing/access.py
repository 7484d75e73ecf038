"""Actions on billing; the row of the matrix in TEAM-21 that concerns it."""

from django.utils.translation import gettext_lazy as _

from access.actions import ActionSpec, presets, register_actions
from access.actor import deny_while_impersonating
from access.grants import register_grants
from access.resources.registry import Resource, register_resource
from billing.billing_admins.grants import BillingAdmins
from usage.access import BillingAction

ORGANIZATION = ("teams.Organization",)
OF_MONEY = ("billing.PaymentMethod",)
OF_HISTORY = ("billing.Invoice",)


def register() -> None:
    """Tell the engine."""
    register_actions(
        {
            BillingAction.VIEW: ActionSpec(
                (*ORGANIZATION, *OF_MONEY, *OF_HISTORY), presets("O"), label=_("View usage and billing"),
                help=_("View the organization’s plan, usage, payment methods and invoices."),
            ),
            BillingAction.MANAGE: ActionSpec(
                (*ORGANIZATION, *OF_MONEY, *OF_HISTORY), presets(""), label=_("Manage plan and billing"),
                help=_("Change the plan, payment methods, billing details and chargeback prices."),
            ),
            BillingAction.ASSIGN: ActionSpec(
                ORGANIZATION, presets("O"), label=_("Choose billing admins"),
                help=_("Transfer billing to another admin of the organization."),
            ),
        },
        group=_("Usage and billing"),
    )  # fmt: skip
    deny_while_impersonating(BillingAction.MANAGE, BillingAction.ASSIGN)
    for model in ("billing.PaymentMethod", "billing.Invoice"):
        register_resource(Resource(model, view=BillingAction.VIEW, organization="subscription__organization"))
    register_grants(BillingAdmins(BillingAction.MANAGE, seen_by=BillingAction.VIEW))
