"""Tests of signing in and of the section Security."""
