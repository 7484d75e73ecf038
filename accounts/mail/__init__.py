"""Mail: writing and sending it, and the outbox that keeps it until a server accepts it."""
