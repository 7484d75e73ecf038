"""Tests of pages at W&B's addresses and of Weave's questions."""
