"""Tests of the runs table."""
