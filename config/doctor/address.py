"""Whether people and SDKs reach Runyard by its address, and what a proxy on the way does wrong.

Asked from this machine, by the name that others use.
"""

import http
import socket
import ssl
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import requests
from django.conf import settings
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

from common.safe_http.addresses import networks_of
from common.web.client_addresses import address_in
from config.doctor.findings import Finding, broken, fine, warning

PART = "address"
TIMEOUT_S = 10
LARGE_BYTES = 3 * 1024 * 1024
"""What nginx refuses unless it is told otherwise: over 1 MiB."""
CERTIFICATE_DAYS = 14
DAY_S = 86_400
PROXY = "docs/operate/run.md#behind-a-proxy"


def address() -> Iterator[Finding]:
    """Yield what is wrong on the way from the address to the server, or that nothing is."""
    url = settings.BASE_URL
    try:
        answer = _get("/healthz")
    except requests.exceptions.SSLError as error:
        yield broken(
            PART,
            f"{url} has no certificate that this machine trusts: {error}",
            "Renew it, or add its authority.",
        )
        return
    except requests.RequestException as error:
        advice = "Is it running? Does the name lead here, and does the proxy pass requests on?"
        yield broken(PART, f"{url} does not answer: {type(error).__name__}.", advice)
        return
    if answer.status_code != http.HTTPStatus.OK or answer.headers.get("Content-Type") != "application/json":
        yield broken(
            PART,
            f"{url}/healthz answers {answer.status_code}, and not as Runyard does.",
            f"Let the proxy lead to it: {PROXY}.",
        )
        return
    try:
        found = [*_certificate(), *_scheme(), *_connection(), *_sockets(), *_bodies()]
    except requests.RequestException as error:
        found = [
            broken(PART, f"{url} has stopped answering: {type(error).__name__}.", "Look at the proxy's log.")
        ]
    yield from found or [fine(PART, f"{url} leads here, with WebSockets and large bodies; {_seen_as()}")]


def _get(path: str) -> requests.Response:
    return requests.get(settings.BASE_URL + path, timeout=TIMEOUT_S, allow_redirects=False)


def _certificate() -> Iterator[Finding]:
    parts = urlsplit(settings.BASE_URL)
    if parts.scheme != "https" or parts.hostname is None:
        return
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((parts.hostname, parts.port or 443), TIMEOUT_S) as link,
            context.wrap_socket(link, server_hostname=parts.hostname) as secure,
        ):
            ends = ssl.cert_time_to_seconds(str((secure.getpeercert() or {})["notAfter"]))
    except (OSError, KeyError):
        return  # trusted by `requests`, by an authority that is named to it alone
    days = (ends - time.time()) / DAY_S
    if days < CERTIFICATE_DAYS:
        yield warning(
            PART,
            f"The certificate ends in {days:.0f} days.",
            "Renew it; see why that has not happened by itself.",
        )


def _scheme() -> Iterator[Finding]:
    """A page that is moved to itself: the server takes a request by HTTPS for one by HTTP."""
    answer = _get("/accounts/login/")
    moved_to = answer.headers.get("Location", "")
    if answer.is_redirect and urlsplit(moved_to).path == "/accounts/login/":
        text = "Pages are moved to themselves for ever: the server does not know that the proxy ends TLS."
        yield broken(
            PART, text, f"Set RUNYARD_BEHIND_PROXY=true, and let the proxy set X-Forwarded-Proto: {PROXY}."
        )
    elif answer.status_code == http.HTTPStatus.BAD_REQUEST:
        host = urlsplit(settings.BASE_URL).hostname
        text = f"Pages are refused (400): the server is asked by another name than {host}."
        yield broken(
            PART, text, f"Let the proxy pass Host on, or add the name to RUNYARD_ALLOWED_HOSTS: {PROXY}."
        )


def _connection() -> Iterator[Finding]:
    """Compare a URL that the server builds with its address, and say whom it takes this machine for."""
    answer = _get("/accounts/connection/")
    if answer.status_code != http.HTTPStatus.OK:
        return  # said above
    told = answer.json()
    if told["url"] != f"{settings.BASE_URL}/":
        text = f"The server builds URLs with {told['url']}: uploads of SDKs and links in mails lead there."
        yield broken(PART, text, f"Set RUNYARD_URL={settings.BASE_URL} for the server: {PROXY}.")
    if settings.BEHIND_PROXY:
        seen = address_in(told["address"])
        if seen is None or any(seen in network for network in networks_of(tuple(settings.TRUSTED_PROXIES))):
            text = f"The server takes this machine for {told['address'] or 'no address'}, which is not a client's."
            advice = "List the networks of all proxies on the way in RUNYARD_TRUSTED_PROXIES"
            yield warning(PART, text, f"{advice}: {PROXY}.")


def _seen_as() -> str:
    return f"the server takes this machine for {_get('/accounts/connection/').json()['address']}"


def _sockets() -> Iterator[Finding]:
    """Nobody is signed in, so the server accepts and closes at once; a proxy that passes none answers otherwise."""
    where = settings.BASE_URL.replace("http", "ws", 1) + "/ws/me"
    try:
        with connect(where, open_timeout=TIMEOUT_S, origin=settings.BASE_URL):
            return
    except (InvalidStatus, WebSocketException, OSError) as error:
        text = f"WebSockets do not come through, so open pages are not told of what happens: {error}."
        yield broken(PART, text, f"Let the proxy pass Upgrade and Connection on: {PROXY}.")


def _bodies() -> Iterator[Finding]:
    if settings.DATA_UPLOAD_MAX_MEMORY_SIZE < LARGE_BYTES:
        return  # Runyard itself refuses them
    answer = requests.post(
        f"{settings.BASE_URL}/graphql", data=b" " * LARGE_BYTES, timeout=TIMEOUT_S, allow_redirects=False
    )
    if answer.status_code == http.HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        text = f"Bodies of {LARGE_BYTES // 1024**2} MiB are refused on their way, and so are large posts of runs."
        yield broken(PART, text, f"Raise the proxy's limit (nginx: client_max_body_size 0): {PROXY}.")
