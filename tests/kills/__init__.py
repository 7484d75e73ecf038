"""Tests that kill processes while they work."""
