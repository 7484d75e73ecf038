"""Runs that go on logging while the browser is watched."""

import json
import threading
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import numpy as np

from bench.browser import filled

LINES = 4
"""Of a post."""
EVERY_S = 1.0


def _post(url: str, key: str, post: int, rows: list[dict[str, float]]) -> None:
    body = {
        "files": {
            "wandb-history.jsonl": {
                "offset": filled.STEPS + post * LINES,
                "content": [json.dumps(row) for row in rows],
            }
        }
    }
    login = b64encode(f"api:{key}".encode()).decode()
    headers = {"Authorization": f"Basic {login}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 - of our own server
    urllib.request.urlopen(request, timeout=60).close()  # noqa: S310


@contextmanager
def logging(urls: list[str], key: str) -> Iterator[None]:
    """Post to the streams of runs in turn, each once in `EVERY_S`, until the block ends."""
    over = threading.Event()
    source = np.random.default_rng(1)

    def work() -> None:
        for post in count():
            for url in urls:
                _post(url, key, post, filled.rows(source, filled.STEPS + post * LINES, LINES))
                if over.wait(EVERY_S / len(urls)):
                    return

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
