"""The database beside the ORM: statements written by hand, SQL compiled once, and what happens after a commit."""
