"""What is read from a run's config, summary and metadata: the flat form, metric definitions, values removed by key."""
