"""The REST API of metrics: series, history files and hosts."""
