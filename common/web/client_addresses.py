"""The address of a client behind any number of proxies, for limits, the audit log and sessions."""

import ipaddress

from django.conf import settings

from common.safe_http.addresses import networks_of

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def client_address(connected: str, forwarded: str) -> str:
    """Return the IP address of a client; that of the nearest proxy where what it forwarded names none, "" without any.

    Args:
        connected: What the connection comes from; "" for a Unix socket.
        forwarded: The header X-Forwarded-For, to which each proxy appends what connected to it. Only entries that
            trusted proxies have appended count: those before them are the client's own words.
    """
    nearest = address_in(connected)
    found = str(nearest) if nearest else ""
    if not settings.BEHIND_PROXY:
        return found
    hops = [address_in(entry) for entry in forwarded.split(",")]
    trusted = networks_of(tuple(settings.TRUSTED_PROXIES))
    if not trusted:  # the one proxy that is connected
        return str(hops[-1]) if hops[-1] else found
    hop: Address | None = nearest
    while hop is None or any(hop in network for network in trusted):
        found = str(hop) if hop else found
        if not hops:
            return found
        hop = hops.pop()
        if hop is None:  # "unknown", or no address
            return found
    return str(hop)


def address_in(text: str) -> Address | None:
    """Return the address in an entry as proxies write it: with a port, in brackets, quoted, or as IPv6 of an IPv4."""
    text = text.strip().strip('"')
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
