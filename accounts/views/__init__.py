"""Pages of people's own: settings, keys, sign-in, mail."""
