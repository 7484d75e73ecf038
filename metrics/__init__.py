"""Every time series: history and system metrics. Ingest, store, downsampling, live points."""
