"""What changes projects and runs, by concern: projects, lifecycle, posts (the ingest's bulk part), files."""
