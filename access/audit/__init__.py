"""The audit log: writing entries, and plain words for actions, kinds of rows and values."""
