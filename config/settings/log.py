"""Logs go to standard error, one line a record."""

import logging

from config.env import env


def _without_traceback(record: logging.LogRecord) -> bool:
    """Let the line pass alone: what a client did wrong (a host name, say) happened nowhere in our code."""
    record.exc_info = None
    return True


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "without_traceback": {"()": "django.utils.log.CallbackFilter", "callback": _without_traceback}
    },
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("RUNYARD_LOG_LEVEL", default="INFO")},
    "loggers": {
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
        "django.server": {"level": "WARNING"},
        "uvicorn": {"handlers": [], "propagate": True},
        "uvicorn.error": {"level": "WARNING"},
        "uvicorn.access": {"handlers": [], "propagate": False},
    },
}
