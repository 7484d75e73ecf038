"""Tests of secrets in runs."""
