"""Members of teams and organizations: joining, changing roles, leaving, and lists of them."""
