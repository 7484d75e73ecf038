"""The life of versions: drafts, commits, aliases, tags, links, deletion."""
