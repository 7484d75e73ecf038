"""The GraphQL schema and what every resolver uses: context, cost limits, errors, ids, nodes, paging."""
