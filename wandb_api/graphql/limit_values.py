"""How much one GraphQL document may ask for; apart from what checks it, since the page of limits needs no GraphQL."""

MAX_DEPTH = 20
MAX_CHARACTERS = 20_000
"""Names of a MB each took 10 s of suggestions. The SDK's largest document has 2,200."""
MAX_FIELDS = 1000
"""Validation compares fields of one name with each other: 1,500 took 5 s. The SDK's largest document has 84."""
MAX_SPECS = 100
"""Of one `sampledHistory`. The SDK sends one for a call of `history`."""
MAX_COMPARED_METADATA = 5000
"""Versions whose metadata one request compares."""
