"""Files over loopback: who sends them, nginx as the limit, and other trackers."""
