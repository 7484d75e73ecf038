"""What the SDK can ask for and this server does not do, and what it is told instead."""
