"""Saved views of a project's pages: who reads which, and changing them."""
