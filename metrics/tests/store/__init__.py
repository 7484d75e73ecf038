"""Tests of storing, packing and reading points."""
