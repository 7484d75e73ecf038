"""The archive of an export: what is in it, and how it is written into the store of blobs."""
