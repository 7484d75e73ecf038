"""Plans, limits, payment, invoices and billing admins (docs/develop/decisions/billing.md)."""
