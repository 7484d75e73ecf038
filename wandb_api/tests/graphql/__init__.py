"""Tests of the GraphQL endpoint and schema."""
