"""Tests of who may do and see what, over all apps and interfaces."""
