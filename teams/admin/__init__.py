"""Pages of the admin for organizations, teams and the people in them."""
