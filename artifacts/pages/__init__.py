"""What the pages of artifacts show, put together for their templates."""
