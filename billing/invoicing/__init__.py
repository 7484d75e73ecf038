"""Invoices: what is on them, their numbers, when they are made, and what they look like."""
