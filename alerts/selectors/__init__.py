"""Reads about alerts."""
