"""What becomes of automations when accounts merge and runs are purged."""
