"""From ledgers to what was used: tracked time, bytes, trace data and hardware, counted once and exactly (BIL-4)."""
