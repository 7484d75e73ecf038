"""Which point of a sweep to try next; numbers only, nothing of runs or of the database."""
