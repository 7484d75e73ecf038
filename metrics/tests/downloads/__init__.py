"""Tests of points as files."""
