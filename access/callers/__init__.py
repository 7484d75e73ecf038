"""Who calls: credentials in headers, and operators who ask to use their privileges."""
