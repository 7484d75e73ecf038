"""The code of a run: saved files, uncommitted changes, packages, and how they differ from those of another run."""
