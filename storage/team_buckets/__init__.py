"""Buckets of teams: connected, and moved into and out of (TEAM-40)."""
