"""The email addresses of a person: adding, removing and confirming them."""
