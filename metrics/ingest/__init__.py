"""Writing points: posts are gathered, placed and committed in groups, and lost or bad lines are set aside."""
