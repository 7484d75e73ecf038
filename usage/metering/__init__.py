"""From what happens to ledgers, and from ledgers to totals by day."""
