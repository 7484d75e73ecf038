"""Every route of every interface declares what it needs; a route that does not answers 405 and fails a test."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from access.actions import spec_of

V = TypeVar("V", bound=Callable[..., Any])


class Open(StrEnum):
    """What a route may need instead of an action on a row."""

    ANYONE = "anyone"
    """Nothing: sign-in pages, health. Or credentials the route checks itself: a signed ticket."""
    SIGNED_IN = "signed in"
    OPERATOR = "operator"


Declaration = Open | str
_ATTRIBUTE = "declared_access"
_modules: dict[str, Declaration] = {}


def declare(need: Declaration) -> Callable[[V], V]:
    """Declare what a view, consumer or lean endpoint needs: an ``Open`` or an action that it checks itself."""

    def mark(view: V) -> V:
        setattr(view, _ATTRIBUTE, need)
        return view

    return mark


def declare_module(prefix: str, need: Declaration) -> None:
    """Declare for all views of a library, by module prefix (allauth, the admin)."""
    _modules[prefix] = need


def declaration_of(view: Callable[..., Any]) -> Declaration | None:
    """Return what was declared for the view, its class, or its module; None when nothing was.

    Raises:
        UnknownActionError: an action was declared that no app registered.
    """
    view_class = getattr(view, "view_class", None) or getattr(view, "cls", None)
    for candidate in (view, view_class):
        need: Declaration | None = getattr(candidate, _ATTRIBUTE, None)
        if need is not None:
            if not isinstance(need, Open):
                spec_of(need)
            return need
    # what the admin serves is the admin's, also its redirects and the views it borrows
    of_admin = hasattr(view, "admin_site") or hasattr(view, "model_admin")
    module = "django.contrib.admin" if of_admin else getattr(view_class or view, "__module__", "")
    for prefix, need in _modules.items():
        if module == prefix or module.startswith(prefix + "."):
            return need
    return None
