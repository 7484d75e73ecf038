"""States of runs: starting, resuming, stopping, finishing, crashing, and what ends a deleted run."""
