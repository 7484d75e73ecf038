"""ALR-3: links that switch alerts off name whose mail and who asked for it, and cannot be made up."""

import pytest

from alerts.preferences.unsubscribe_links import Subscription, headers_of, read_token, token_of
from common.errors import NotFound


def test_a_token_says_whose_mail_it_was_and_who_asked():
    """ALR-3."""
    subscription = Subscription(7, is_own=True, team_ids=(3, 9))
    assert read_token(token_of(subscription)) == subscription


@pytest.mark.parametrize("cut", [0, 1, 10, -1])
def test_what_was_not_signed_here_is_refused(cut):
    """ALR-3."""
    token = token_of(Subscription(7, is_own=True))
    with pytest.raises(NotFound):
        read_token(token[:cut])


def test_mail_programs_are_told_that_one_click_is_enough(settings):
    """ALR-3, RFC 8058."""
    settings.BASE_URL = "https://runyard.example.com"
    headers = headers_of(Subscription(7, is_own=True))
    assert headers["List-Unsubscribe"].startswith("<https://runyard.example.com/unsubscribe/")
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
