"""People: the one name space, sign-in, emails, API keys."""
