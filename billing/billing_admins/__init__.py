"""Billing admins: who manages the payment of an organization, and who is asked about it."""
