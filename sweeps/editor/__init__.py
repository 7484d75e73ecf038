"""Editing a configuration in the browser: its text, and the form that shows and changes lines of it."""
