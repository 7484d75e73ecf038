"""Projects: creating, renaming, visibility, members of restricted ones, deletion, search."""
