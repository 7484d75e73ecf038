"""Pages of storage."""
