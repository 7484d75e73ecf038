"""An app that a later release has: what an upgrade changes, for tests (tests/operations/test_upgrade.py)."""
