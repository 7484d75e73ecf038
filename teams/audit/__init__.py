"""The audit log: searching, showing and exporting it."""
