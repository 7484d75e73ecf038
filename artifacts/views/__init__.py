"""Pages of artifacts."""
