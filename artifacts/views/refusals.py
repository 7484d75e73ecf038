"""Refusals that belong on the page whose form was sent, and not on one of their own."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.http import HttpRequest

from artifacts.access import RegistryAction
from common.errors import Conflict, DomainError, Forbidden, Invalid


def show_refusal(request: HttpRequest, refusal: DomainError) -> None:
    """Let the next page say why something was not done.

    Raises:
        Forbidden: the viewer lacks another right than that on a protected alias.
    """
    if isinstance(refusal, Forbidden) and refusal.action != RegistryAction.PROTECT_ALIASES:
        raise refusal
    messages.error(request, refusal.message)


@contextmanager
def refusals_shown(request: HttpRequest) -> Iterator[None]:
    """Show what a service refuses as `show_refusal` does."""
    try:
        yield
    except (Conflict, Forbidden, Invalid) as refusal:
        show_refusal(request, refusal)
