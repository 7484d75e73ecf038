"""Tests of the agent against a real server."""
