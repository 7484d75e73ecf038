"""Signing in and up: passwords, sign-in providers, second factors, sessions, and confirming again who is there."""
