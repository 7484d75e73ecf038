"""Metering: recording usage in ledgers, and summing the ledgers by day."""
