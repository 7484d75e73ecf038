"""What pages show of a file in an artifact."""
