"""What refusals say."""

import pytest

from common.errors import Invalid


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("a “b”", "a “b”"),
        ("a\nb", "a\\nb"),
        ("\ud800", "\\ud800"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\u202etxt", "\\u202etxt"),
    ],
)
def test_a_message_that_quotes_what_was_asked_can_be_encoded_and_printed(asked: str, shown: str):
    refused = Invalid(asked)
    assert refused.message == str(refused) == shown
    assert refused.message.encode()
