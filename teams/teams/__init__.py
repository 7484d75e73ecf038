"""Teams: finding, creating and deleting them, their privacy, and the default team of a person."""
