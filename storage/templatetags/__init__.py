"""Tags of the pages of storage."""
