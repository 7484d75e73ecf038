"""The cold store in ClickHouse: segments' contents, and their numbers for questions over many runs."""
