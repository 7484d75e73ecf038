"""Logs go to standard error, one line a record; traces to a collector, if one is named."""

import logging

from config.env import env


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let the line pass alone: what a client did wrong (a host name, say) happened nowhere in our code."""
    record.exc_info = None
    return True


def _is_no_readiness_poll(record: logging.LogRecord) -> bool:
    """Hold back the line of a poll: `/ready` is asked while the server starts, and its 503 names what is missing."""
    is_ready = getattr(getattr(record, "request", None), "path", "") == "/ready"
    return not (is_ready and getattr(record, "status_code", None) == 503)


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "no_readiness_poll": {"()": "django.utils.log.CallbackFilter", "callback": _is_no_readiness_poll},
        "without_traceback": {"()": "django.utils.log.CallbackFilter", "callback": _without_traceback},
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("RUNYARD_LOG_LEVEL", default="INFO")},
    "loggers": {
        "django.request": {"filters": ["no_readiness_poll"]},
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
        "django.server": {"level": "WARNING"},
        "uvicorn": {"handlers": [], "propagate": True},
        "uvicorn.error": {"level": "WARNING"},
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}

TRACES_URL = env.str("RUNYARD_TRACES_URL", default="").rstrip("/").removesuffix("/v1/traces")
"""The collector's address for OTLP over HTTP; empty: nothing is traced."""
TRACES_SHARE = env.float("RUNYARD_TRACES_SHARE", default=0.1)
TRACES_HEADERS = {
    name.strip(): value.strip()
    for name, _, value in (header.partition("=") for header in env.list("RUNYARD_TRACES_HEADERS", default=[]))
}
"""What the collector wants to know who sends."""
