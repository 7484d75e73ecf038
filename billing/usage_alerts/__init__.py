"""Mails about limits that are nearly reached and charges that grow."""
