"""What posts of clients change in runs, and the posts and lines that were refused."""
