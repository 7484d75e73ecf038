"""Limits of plans: seats, storage and trace data, what is used of them, and notices near them."""
