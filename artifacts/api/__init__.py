"""The REST API of artifacts."""
