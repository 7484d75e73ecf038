"""Keys, hosts, cookies, headers. All follow from RUNYARD_URL: with https, everything is strict."""

import socket
from urllib.parse import urlsplit

from csp.constants import NONCE, NONE, SELF

from config.env import env, secret_keys

SECRET_KEY, *SECRET_KEY_FALLBACKS = secret_keys()
HOST = env.str("RUNYARD_HOST", default="127.0.0.1")
PORT = env.int("RUNYARD_PORT", default=8000)
IS_URL_SET = bool(env.str("RUNYARD_URL", default=""))
BASE_URL = env.str("RUNYARD_URL", default=f"http://localhost:{PORT}").rstrip("/")
_base = urlsplit(BASE_URL)
_secure = _base.scheme == "https"

ALLOWED_HOSTS = env.list(
    "RUNYARD_ALLOWED_HOSTS",
    default=[
        _base.hostname or "localhost",
        "localhost",
        "127.0.0.1",
        "[::1]",
        HOST,
        socket.gethostname().lower(),
    ],
)
OTHER_HOSTS = frozenset(host.strip("[] ").lower() for host in env.list("RUNYARD_ALLOWED_HOSTS", default=[]))
"""Names that operators have listed: absolute URLs in answers to clients that use them keep them."""
PICTURE_HOSTS = frozenset(host.strip().lower() for host in env.list("RUNYARD_PICTURE_HOSTS", default=[]))
"""Hosts of the own network from which intros may show pictures; those of the public network need no entry."""
METRICS_TOKEN = env.str("RUNYARD_METRICS_TOKEN", default="").strip()
"""What a scraper of /metrics sends; empty: only operators who are signed in may read it."""
CSRF_TRUSTED_ORIGINS = [BASE_URL] if _secure else []
TRUSTED_PROXIES = [network.strip() for network in env.list("RUNYARD_TRUSTED_PROXIES", default=[])]
"""Networks of the proxies between clients and this server, of which each appends to X-Forwarded-For."""
BEHIND_PROXY = env.bool("RUNYARD_BEHIND_PROXY", default=False) or bool(TRUSTED_PROXIES)
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    USE_X_FORWARDED_HOST = True

_usual = {"http": "80", "https": "443"}.get(_base.scheme, "")
_port = (
    _base.netloc.rpartition("]")[2].rpartition(":")[2] if ":" in _base.netloc.rpartition("]")[2] else _usual
)
_of_port = f"_{_port}" if _port.isdecimal() and _port != _usual else ""
# Cookies know no ports: with Django's names, other installations and programs on the host would sign people out.
SESSION_COOKIE_NAME = f"runyard_session{_of_port}"
CSRF_COOKIE_NAME = f"runyard_csrf{_of_port}"
LANGUAGE_COOKIE_NAME = f"runyard_language{_of_port}"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = _secure
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_HSTS_SECONDS = 31_536_000 if _secure else 0
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # whether other names below the domain have TLS is for its owner to say, not for us
    "security.W021",  # as is the browsers' preload list
]
SECURE_SSL_REDIRECT = _secure
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^ready$", r"^metrics$"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
FRAME_ANCESTORS = [origin.strip().rstrip("/") for origin in env.list("RUNYARD_FRAME_ANCESTORS", default=[])]
"""Sites whose pages, notebooks say, may show the read-only pages of `access.web.framing` in a frame."""

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "worker-src": [SELF],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:", "blob:"],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
