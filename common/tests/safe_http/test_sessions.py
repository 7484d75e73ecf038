"""Identity providers that waste our time."""

from typing import Any

import pytest
from requests.exceptions import RequestException

from accounts.sign_in.sso import SocialAdapter
from common.safe_http import sessions
from tests.fakes.slow_host import Waste, slow_host


@pytest.mark.parametrize("waste", [Waste.SILENT, Waste.DRIPPING_HEAD, Waste.DRIPPING_BODY, Waste.UNREAD])
def test_a_provider_that_does_not_answer_in_time_is_not_waited_for(waste: Waste, monkeypatch: Any) -> None:
    monkeypatch.setattr(sessions, "WHOLE_S", 0.6)
    with slow_host(waste) as host, pytest.raises(RequestException):
        SocialAdapter().get_requests_session().get(host.url)


def test_an_answer_without_end_is_cut() -> None:
    with slow_host(Waste.ENDLESS_BODY) as host:
        with pytest.raises(RequestException, match="larger than 1048576 bytes"):
            SocialAdapter().get_requests_session().get(host.url)
        assert host.sent < 64_000_000
