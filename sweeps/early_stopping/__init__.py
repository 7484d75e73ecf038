"""Stopping runs that fall behind (hyperband)."""
