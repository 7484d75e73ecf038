"""Formats of values: whole numbers in addresses, strict and lenient JSON, CSV that is safe in spreadsheets."""
