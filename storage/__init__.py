"""Bytes: blobs by digest, signed tickets to put and get them, the ledger of who holds how much."""
