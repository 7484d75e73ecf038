"""Tests of what is read from configs and summaries."""
