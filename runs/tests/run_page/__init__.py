"""Tests of a run's page."""
