"""Tests of the operators' admin as a whole."""
