"""What the SDK can ask for and this server does not do, and what it answers instead."""
