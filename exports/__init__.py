"""Everything that a team or a person owns, as one archive made in the background (TEAM-12)."""
