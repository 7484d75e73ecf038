"""How long versions are kept: time to live, expiry, the end of what was deleted, the collector."""
