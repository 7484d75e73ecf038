"""Artifacts as the SDK's GraphQL knows them: nodes, ids, filters."""
