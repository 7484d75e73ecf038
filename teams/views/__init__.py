"""Pages of people, teams and organizations."""
