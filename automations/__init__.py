"""Automations: what a team or project wants done by itself when runs change or metrics meet conditions."""
