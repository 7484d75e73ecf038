"""Tests of the life of an account."""
