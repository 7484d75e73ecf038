"""Tests of the states and times of runs."""
