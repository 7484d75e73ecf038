"""The REST API of exports."""
