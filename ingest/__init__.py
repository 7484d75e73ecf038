"""What is logged comes in here: what the SDK's stream and REST's share, and REST's own (docs/develop/ingest.md)."""
