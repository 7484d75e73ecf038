"""The client's address behind one or several proxies, in the forms that they write."""

import pytest

from common.web.client_addresses import client_address

CLIENT, OUTER, NEAR = "203.0.113.9", "10.1.0.7", "10.2.0.8"


@pytest.mark.parametrize(
    ("trusted", "connected", "forwarded", "expected"),
    [
        ("", NEAR, CLIENT, CLIENT),
        ("", NEAR, f"192.0.2.1, {CLIENT}", CLIENT),
        ("", NEAR, "", NEAR),
        ("", NEAR, "unknown", NEAR),
        ("", NEAR, f"{CLIENT}:51234", CLIENT),
        ("", NEAR, "[2001:db8::7]:443", "2001:db8::7"),
        ("", NEAR, '"[2001:db8::7]"', "2001:db8::7"),
        ("", NEAR, "2001:DB8::0007", "2001:db8::7"),
        ("", NEAR, "fe80::1%eth0", "fe80::1"),
        ("", NEAR, f"::ffff:{CLIENT}", CLIENT),
        ("", "", CLIENT, CLIENT),  # a Unix socket
        ("", "", "<script>", ""),
        ("10.0.0.0/8", NEAR, f"{CLIENT}, {OUTER}", CLIENT),
        ("10.1.0.0/16,10.2.0.0/16", NEAR, f"{CLIENT}, {OUTER}", CLIENT),
        ("10.0.0.0/8", NEAR, f"192.0.2.1, {CLIENT}, {OUTER}", CLIENT),  # the client's own words come first
        ("10.0.0.0/8", NEAR, f"10.9.9.9, {CLIENT}", CLIENT),
        ("10.0.0.0/8", NEAR, f"unknown, {OUTER}", OUTER),
        ("10.0.0.0/8", NEAR, OUTER, OUTER),  # a client within the network of the proxies
        ("10.0.0.0/8", "198.51.100.1", CLIENT, "198.51.100.1"),  # did not come through a proxy
    ],
)
def test_behind_proxies(settings, trusted: str, connected: str, forwarded: str, expected: str):
    settings.BEHIND_PROXY, settings.TRUSTED_PROXIES = True, list(filter(None, trusted.split(",")))
    assert client_address(connected, forwarded) == expected


def test_without_a_proxy_the_header_counts_for_nothing(settings):
    settings.BEHIND_PROXY = False
    assert client_address(NEAR, CLIENT) == NEAR
    assert client_address("testclient", CLIENT) == ""
