"""The operators' admin site: its front page, and the page of the installation's settings."""
