"""Pages of projects and runs."""
