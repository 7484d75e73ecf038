"""Tests of invitations."""
