"""The life of an account: its name, creation, deactivation, merging and deletion, and what operators do to it."""
