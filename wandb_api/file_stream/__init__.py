"""The SDK's stream of lines: its endpoint, and how the agent marks the run it records."""
