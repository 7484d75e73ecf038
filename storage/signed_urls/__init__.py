"""Signed, expiring URLs: the tickets in them, and the endpoints that take and give bytes."""
