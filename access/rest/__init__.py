"""The adapter for the REST API: authentication, permissions, rates, query parameters, view sets."""
