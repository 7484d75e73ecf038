"""What is limited: the limits that apps declare, and how many requests a caller has."""
