"""Tests of series as charts and the SDK read them."""
