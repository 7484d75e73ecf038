"""Team memberships that follow the groups of a sign-in provider."""
