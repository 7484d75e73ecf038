"""Settings pages: their sections, the search among them, and a person's preferences."""
