"""Registries as the SDK's GraphQL knows them: filters, and rows by their names and ids."""
