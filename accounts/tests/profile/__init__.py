"""Tests of profiles and pictures."""
