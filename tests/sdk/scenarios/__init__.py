"""What people do with the SDK, as scripts. They run inside an SDK's environment and use what all releases have."""
