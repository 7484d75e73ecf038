"""Drafts: versions while they are logged, with their files, manifests, and the commit that ends them."""
