"""What becomes of alerts when accounts merge or end, and when teams end."""
