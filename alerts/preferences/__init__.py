"""What people and teams are told of, where it goes, and what they muted or unsubscribed from."""
