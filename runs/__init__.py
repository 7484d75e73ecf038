"""Projects and runs: identity, configuration, summary, state, console log, files."""
