"""Automations: the events they wait for, when a condition is met, and what is done then (ALR-6)."""
