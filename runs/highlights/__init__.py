"""What lists say of a run at a glance: its main metric, how that went, why it failed."""
