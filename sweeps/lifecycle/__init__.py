"""The life of a sweep: created, changed, paused, ended, deleted."""
