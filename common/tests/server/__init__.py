"""Tests of the processes of an installation."""
