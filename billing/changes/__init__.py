"""Changes of a plan: previews, changes by billing admins and by operators, trials."""
