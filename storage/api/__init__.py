"""The REST API of storage."""
