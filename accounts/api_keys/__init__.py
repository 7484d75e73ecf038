"""API keys: how a secret is made and checked, how far a key reaches, and when it ends."""
