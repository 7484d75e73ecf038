"""What teams and people store now, and how much their plan lets them store."""
