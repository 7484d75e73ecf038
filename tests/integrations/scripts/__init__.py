"""Training scripts as people write them. They run inside a framework's environment."""
