"""How the installation is watched."""

import re
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error

from config.checks.docs import DOCS

METRICS_TOKEN_MIN_LENGTH = 32


def check_metrics_token(**_: Any) -> list[CheckMessage]:
    """It opens /metrics to whoever has it, and nothing slows down guessing; a header carries no blanks in it."""
    token = settings.METRICS_TOKEN
    if not token or re.fullmatch(rf"[!-~]{{{METRICS_TOKEN_MIN_LENGTH},}}", token):
        return []
    least = f"fewer than {METRICS_TOKEN_MIN_LENGTH} characters"
    wrong = least if len(token) < METRICS_TOKEN_MIN_LENGTH else "characters that a header cannot carry"
    hint = f"Create one by `openssl rand -hex 32`; leave it out to answer only operators. {DOCS}#log-metrics-and-traces"
    return [Error(f"RUNYARD_METRICS_TOKEN has {wrong}.", hint=hint, id="runyard.E012")]


def check_traces(**_: Any) -> list[CheckMessage]:
    """Whether the collector answers is seen by `runyard doctor`; here that it could."""
    hint = f"Such as http://collector:4318. {DOCS}#log-metrics-and-traces"
    try:
        url = urlsplit(settings.TRACES_URL)
        is_address = url.scheme in ("http", "https") and url.hostname and url.port != 0 and not url.query
    except ValueError:
        is_address = False
    if settings.TRACES_URL and not is_address:
        return [Error("RUNYARD_TRACES_URL is not the address of a collector.", hint=hint, id="runyard.E023")]
    if not all(
        re.fullmatch(r"[\w-]+", name) and value.isprintable()
        for name, value in settings.TRACES_HEADERS.items()
    ):
        hint = f"Such as authorization=Bearer …,x-team=training. {DOCS}#log-metrics-and-traces"
        return [Error("RUNYARD_TRACES_HEADERS are no headers.", hint=hint, id="runyard.E023")]
    if not 0 <= settings.TRACES_SHARE <= 1:
        message = f"RUNYARD_TRACES_SHARE is {settings.TRACES_SHARE}, not between 0 and 1."
        hint = f"1 exports every trace, 0.1 every tenth. {DOCS}#log-metrics-and-traces"
        return [Error(message, hint=hint, id="runyard.E023")]
    return []
