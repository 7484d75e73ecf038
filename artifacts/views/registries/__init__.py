"""Pages of registries."""
