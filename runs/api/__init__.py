"""The REST API of projects and runs."""
