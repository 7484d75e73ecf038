"""Service accounts of teams and organizations, and their API keys."""
