"""Organizations, teams, members, roles, service accounts. The one source of role grants."""
