"""Tests of writing points."""
