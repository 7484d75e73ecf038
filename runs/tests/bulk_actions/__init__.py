"""Tests of actions on one or many runs."""
