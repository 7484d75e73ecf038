"""Tests of files of runs."""
