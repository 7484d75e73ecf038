"""Organizations: their settings, who belongs to them, and their members' API keys."""
