"""Secrets that landed in configs, files and logs: finding them, masking them, and who may read them."""
