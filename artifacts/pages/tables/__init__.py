"""Tables of artifacts as pages show them: read from files, joined by hand, a page at a time."""
