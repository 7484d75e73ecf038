"""What people do to runs, one or many at once: annotate, move, protect, delete, redact."""
