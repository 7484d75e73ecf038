"""Console logs of runs: their lines, windows of them, search, and compaction."""
