"""Tests of the resolvers."""
