"""Tests of console logs."""
