"""Billing admins: who they are, what they may do, and whom to contact."""
