"""What every way of sending answers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SendResult:
    """What the peer said, secrets masked."""

    is_ok: bool
    is_permanent: bool = False
    """Whether trying again would be answered the same."""
    is_gone: bool = False
    """Whether the destination is no more, so that it is to be turned off."""
    status: int | None = None
    request: str = ""
    response: str = ""
    error: str = ""
    retry_after_s: float | None = None
    """How long the peer wants to be left alone."""
