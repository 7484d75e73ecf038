"""Files of drafts on their way in."""
