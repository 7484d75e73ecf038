"""Billing in the Django admin; history of money is read only there."""

from billing import admin_invoices, admin_plans, admin_usage

__all__ = ["admin_invoices", "admin_plans", "admin_usage"]
