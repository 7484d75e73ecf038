"""Tests of what is said of a bad end."""
