"""Storing points: column batches, packed segments, their compaction, and all reads of them."""
