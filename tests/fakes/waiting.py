"""Waiting for a server that was just started."""

import time

import httpx


def wait_for_answer(url: str, limit_s: float) -> None:
    """Ask until there is an answer without an error; raises the last error after the limit."""
    deadline = time.monotonic() + limit_s
    while True:
        try:
            httpx.get(url).raise_for_status()
        except httpx.HTTPError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
