"""Tests of saved views."""
