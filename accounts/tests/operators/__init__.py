"""Tests of what operators have."""
