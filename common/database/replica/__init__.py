"""A standby of PostgreSQL that pages read from: `freshness` looks whether it may, `routing` sends statements."""
