"""Tests of logged media and tables."""
