"""Outgoing mail: by SMTP where a URL names a server, else into the outbox that operators read."""

from config.env import env

_url: str = env.str("RUNYARD_EMAIL_URL", default="")
if _url:
    _mail = env.email_url_config(_url)
    EMAIL_BACKEND = _mail["EMAIL_BACKEND"]
    EMAIL_HOST = _mail["EMAIL_HOST"]
    EMAIL_PORT = _mail["EMAIL_PORT"]
    EMAIL_HOST_USER = _mail["EMAIL_HOST_USER"]
    EMAIL_HOST_PASSWORD = _mail["EMAIL_HOST_PASSWORD"]
    EMAIL_USE_TLS = _mail.get("EMAIL_USE_TLS", False)
    EMAIL_USE_SSL = _mail.get("EMAIL_USE_SSL", False)
else:
    EMAIL_BACKEND = "accounts.mail.outbox.OutboxBackend"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("RUNYARD_EMAIL_FROM", default="Runyard <runyard@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
