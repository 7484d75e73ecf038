"""Secrets in what is kept of requests and answers: written as `***`, whatever way they come."""

import json
from urllib.parse import quote, urlsplit

HIDDEN = "***"
_LEAST_PATH = 8
"""Characters from which on a path may be a secret: by it one posts."""


class Mask:
    """What must not be kept; call it with a text to hide all of that."""

    def __init__(self) -> None:
        self._hidden: set[str] = set()

    def add(self, *secrets: str) -> None:
        """Hide these, also as JSON and as addresses write them."""
        for secret in filter(None, secrets):
            self._hidden |= {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
            self._hidden |= {quote(secret), quote(secret, safe="")}

    def add_address(self, url: str) -> None:
        """Hide all of an address but its host."""
        parts = urlsplit(url)
        for part in (parts.path, parts.query):
            if len(part) >= _LEAST_PATH:
                self.add(part)

    def __call__(self, text: str) -> str:
        """Return a text with all of it hidden, the longest first: one may be part of another."""
        for secret in sorted(self._hidden, key=len, reverse=True):
            text = text.replace(secret, HIDDEN)
        return text
