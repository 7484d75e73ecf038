"""Tests of conditions, orders and expressions."""
