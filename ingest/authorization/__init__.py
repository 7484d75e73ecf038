"""Who may log to which run, asked of the access engine and cached for a few seconds."""
