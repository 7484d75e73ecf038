"""Whether the client of a request has left, for views that may stop then."""

from collections.abc import Callable

from django.http import HttpRequest

GONE = "runyard.gone"
"""In an ASGI scope: the event that is set when the client closes the connection."""


def disconnect_check(request: HttpRequest) -> Callable[[], bool]:
    """Return what says whether the client has left; never, where the server cannot know."""
    event = getattr(request, "scope", {}).get(GONE)
    return event.is_set if event is not None else lambda: False
