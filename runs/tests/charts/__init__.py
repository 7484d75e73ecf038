"""Tests of stored charts."""
