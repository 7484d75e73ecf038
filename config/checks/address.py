"""Where the installation is found, and who may show or reach what."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning  # noqa: A004 - Django's names

from common.safe_http.addresses import networks_of
from config.checks.docs import DOCS
from config.env import env

EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104 - compared, not bound


def check_url(**_: Any) -> list[CheckMessage]:
    """RUNYARD_URL is what browsers and SDKs use."""
    where = f"{DOCS}#address"
    try:
        url = urlsplit(settings.BASE_URL)
        fine = url.scheme in ("http", "https") and url.hostname and url.port != 0
        bare = url.path in ("", "/") and not url.query and not url.fragment
    except ValueError:
        fine = bare = False
    if not fine:
        hint = f"Give scheme and host as people open it, such as https://runyard.example.com. {where}"
        return [Error("RUNYARD_URL is not a URL.", hint=hint, id="runyard.E001")]
    if not bare:
        hint = f"Runyard answers at the root of a host name; give the address without a path. {where}"
        return [Error("RUNYARD_URL has more than scheme, host and port.", hint=hint, id="runyard.E002")]
    return []


def check_port(**_: Any) -> list[CheckMessage]:
    """A port is a port."""
    if 0 < settings.PORT < 65536:
        return []
    return [
        Error(f"RUNYARD_PORT is {settings.PORT}.", hint=f"Give 1 to 65535. {DOCS}#address", id="runyard.E006")
    ]


def check_allowed_hosts(**_: Any) -> list[CheckMessage]:
    """Listening for the network while answering only to names of this machine helps nobody."""
    default_url = not env.str("RUNYARD_URL", default="")
    if settings.HOST not in EVERY_ADDRESS or not default_url or env.list("RUNYARD_ALLOWED_HOSTS", default=[]):
        return []
    return [
        Warning(
            f"RUNYARD_HOST is {settings.HOST}, but only names of this machine are answered.",
            hint=f"Give the address that people open as RUNYARD_URL. {DOCS}#address",
            id="runyard.W002",
        )
    ]


def check_frame_ancestors(**_: Any) -> list[CheckMessage]:
    """What is no site would make browsers ignore the policy, or say more than it seems to."""
    site = re.compile(r"https?://((\*\.)?[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(:(\d+|\*))?")
    hint = f"Give sites such as https://jupyter.example.com,http://localhost:8888. {DOCS}#address"
    return [
        Error(
            f"RUNYARD_FRAME_ANCESTORS has {given!r}, which is not a valid site.", hint=hint, id="runyard.E020"
        )
        for given in settings.FRAME_ANCESTORS
        if not site.fullmatch(given)
    ]


def check_trusted_proxies(**_: Any) -> list[CheckMessage]:
    """With what is no network, the addresses of clients could not be read."""
    return _check_networks("RUNYARD_TRUSTED_PROXIES", settings.TRUSTED_PROXIES, "address", "runyard.E025")


def check_allowed_networks(**_: Any) -> list[CheckMessage]:
    """What is no network would be found only when a webhook is sent."""
    return _check_networks("RUNYARD_ALLOWED_NETWORKS", settings.ALLOWED_NETWORKS, "alerts", "runyard.E016")


def _check_networks(name: str, given: Sequence[str], section: str, check_id: str) -> list[CheckMessage]:
    try:
        networks_of(tuple(given))
    except ValueError as error:
        hint = f"Give networks such as 10.0.0.0/8,fd12:3456::/32. {DOCS}#{section}"
        return [Error(f"{name}: {error}.", hint=hint, id=check_id)]
    return []
