"""What services raise; adapters (web, REST, GraphQL, lean endpoints) turn these into answers.

DomainError
├── Invalid            400  the input is wrong, and how
├── Unauthenticated    401  who is asking is not known
├── Forbidden          403  visible, but the named action is missing
├── NotFound           404  not there, or not visible (the two look the same on purpose)
├── Conflict           409  the state of the thing does not allow it
├── Gone               410  it was there and will not come again
├── TooLarge           413  over a limit, which the message states
└── Unavailable        503  nothing was stored; send it again
"""

from typing import Any


class DomainError(Exception):
    """A refusal with a message for the person or program that asked."""

    status = 400
    code = "invalid"
    detail: dict[str, Any] | None = None
    """More for programs, which answers carry beside the message."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Invalid(DomainError):
    """The input is wrong; the message says what and how to mend it."""


class Unauthenticated(DomainError):
    """No credentials, or ones that do not hold."""

    status = 401
    code = "unauthenticated"


class Forbidden(DomainError):
    """The actor sees the thing but lacks ``action`` on it."""

    status = 403
    code = "forbidden"

    def __init__(self, message: str, *, action: str = "") -> None:
        super().__init__(message)
        self.action = action


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


class Gone(DomainError):
    """It was there and will not come again."""

    status = 410
    code = "gone"


class Unavailable(DomainError):
    """The database did not answer; nothing was stored and the client should send it again."""

    status = 503
    code = "unavailable"
