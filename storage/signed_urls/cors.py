"""Which pages of other origins may read and write by signed URLs: those of the installation's own names.

One installation has several (`localhost` and the machine's name, say), and signed URLs have one of them. Cookies are
not sent and would open nothing: the address is the credential.

Source: `wandb verify`, wandb 0.31.0, wandb/sdk/verify/verify.py `check_cors_configuration`.
"""

from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp


class SignedUrlsMiddleware(CORSMiddleware):
    """Answers preflights (OPTIONS), and names the origin on answers to origins of the installation."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            app,
            allow_methods=("GET", "HEAD", "PUT"),
            allow_headers=("Content-MD5", "If-None-Match", "Range"),
            expose_headers=("ETag", "Content-Length", "Content-Range"),
        )

    def is_allowed_origin(self, origin: str) -> bool:
        """Say whether the origin is a name that the installation answers to, on whatever port."""
        try:
            host = urlsplit(origin).hostname or ""
        except ValueError:
            return False
        return bool(host) and validate_host(f"[{host}]" if ":" in host else host, settings.ALLOWED_HOSTS)
