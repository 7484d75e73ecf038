"""Points as files: history and system metrics, the points of a chart, and Parquet for the SDK."""
