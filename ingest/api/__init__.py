"""The REST API of logging: beginning runs, the stream of posts, files and alerts."""
