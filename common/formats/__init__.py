"""Formats of values: whole numbers in addresses, strict JSON, CSV that is safe in spreadsheets."""
