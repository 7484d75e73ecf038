"""The REST API of people's own things: API keys, email addresses, pictures."""
