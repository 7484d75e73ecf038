"""Where clients find this server: what absolute URLs in its answers begin with."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest


def origin_of(request: HttpRequest) -> str:
    """Return scheme, host and port of absolute URLs in the answer to a request, without a slash at the end.

    That is RUNYARD_URL where it is set: proxies pass the host on without its port, or not at all, and anyone can send
    another. Only names that an operator has listed in RUNYARD_ALLOWED_HOSTS, for clients in other networks, are
    written as the client wrote them.
    """
    host = request.get_host()
    name = urlsplit(f"//{host}").hostname or ""
    is_other = name in settings.OTHER_HOSTS and name != urlsplit(settings.BASE_URL).hostname
    if settings.IS_URL_SET and not is_other:
        return str(settings.BASE_URL)
    return f"{request.scheme}://{host}"


def page_origin(request: HttpRequest) -> str:
    """Return the origin at which a browser has opened the page, as its policies need it."""
    host = request.get_host()
    own = urlsplit(settings.BASE_URL)
    if settings.IS_URL_SET and urlsplit(f"//{host}").hostname == own.hostname:
        return str(settings.BASE_URL)
    return f"{request.scheme}://{host}"
