"""Tests of requests to addresses that people wrote."""
