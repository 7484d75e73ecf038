"""What services raise; adapters (web, REST, GraphQL, lean endpoints) turn these into answers.

DomainError
├── Invalid            400  the input is wrong, and how
├── Unauthenticated    401  who is asking is not known
├── Forbidden          403  visible, but the named action is missing
├── NotFound           404  not there, or not visible (the two look the same on purpose)
├── Conflict           409  the state of the thing does not allow it
├── Gone               410  it was there and will not come again
├── TooLarge           413  over a limit, which the message states
├── TooManyRequests    429  over a rate, which ends in so many seconds
└── Unavailable        503  nothing was stored; send it again
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

NOT_READY = "The database is not ready: run the command `migrate`, or wait until `serve` has done so."
UNANSWERED = "The database did not answer; try again."

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: object) -> str:
    """Return a text with what is unprintable, or would turn the direction of what follows, written as escapes."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), str(text))


class DomainError(Exception):
    """A refusal with a message for the person or program that asked."""

    status = 400
    code = "invalid"
    detail: dict[str, Any] | None = None
    """More for programs, which answers carry beside the message."""
    headers: Mapping[str, str] = MappingProxyType({})
    """More for the answer's head."""

    def __init__(self, message: str) -> None:
        self.message = printable(message)
        super().__init__(self.message)


class Invalid(DomainError):
    """The input is wrong; the message says what and how to mend it."""


class Unauthenticated(DomainError):
    """No credentials, or ones that do not hold."""

    status = 401
    code = "unauthenticated"


class Forbidden(DomainError):
    """The actor sees the thing but lacks ``action`` on it; ``thing`` is its row, where one row was asked about."""

    status = 403
    code = "forbidden"

    def __init__(self, message: str, *, action: str = "", thing: Any = None) -> None:
        super().__init__(message)
        self.action, self.thing = action, thing
        self.detail = {"permission": action} if action else None


class NotFound(DomainError):
    """Not there, or not visible to the actor."""

    status = 404
    code = "not_found"


class Conflict(DomainError):
    """The thing's present state does not allow it."""

    status = 409
    code = "conflict"


class TooLarge(DomainError):
    """Over a limit; the message states the limit and what raises it."""

    status = 413
    code = "too_large"

    def __init__(self, message: str, *, setting: str = "") -> None:
        super().__init__(message)
        self.setting = setting
        """The variable that sets the limit, if operators can."""


class TooManyRequests(DomainError):
    """Asked too often; the answer says after how many seconds to ask again."""

    status = 429
    code = "too_many_requests"

    def __init__(self, message: str, *, wait_s: int, setting: str = "") -> None:
        super().__init__(message)
        self.wait_s = wait_s
        self.setting = setting
        """The variable that sets the limit, if operators can."""
        self.headers = {"Retry-After": str(wait_s)}


class Gone(DomainError):
    """It was there and will not come again."""

    status = 410
    code = "gone"


class Unavailable(DomainError):
    """The database or a bucket did not answer; nothing was stored and the client should send it again.

    Without a Retry-After: the SDK's clients for GraphQL and for files retry 20 times, and obey it instead of their own
    growing pauses (wandb 0.31), so with two seconds they give up after 42 s, and the end of a run is lost.
    """

    status = 503
    code = "unavailable"
