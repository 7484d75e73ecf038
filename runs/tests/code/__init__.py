"""Tests of the Code tab."""
