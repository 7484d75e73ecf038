"""Billing in the Django admin; history of money is read only there."""

from billing.admin import admins, invoices, plans

__all__ = ["admins", "invoices", "plans"]
