"""Tests of names of runs."""
