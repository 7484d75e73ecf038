"""Tests of service accounts."""
