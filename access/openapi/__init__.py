"""The description of the REST API (OpenAPI 3.1), and its documentation as pages."""
