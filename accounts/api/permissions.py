"""What the REST API asks of a browser's session where pages ask who is there.

Apart from ``accounts.sign_in.reauthentication``, because DRF's settings import this while DRF's views are being
imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from rest_framework.permissions import BasePermission

from access.rest.policy import actor_of
from common.errors import Forbidden

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView


class FreshSession(BasePermission):
    """Let a session reach a view's ``fresh_actions`` only a short while after its owner showed who they are.

    Programs ask by a key, whose scopes say how far it reaches; nobody could be asked there.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        """Pass what is not dangerous, what is asked by a key, and nobody, whom the view itself refuses.

        Raises:
            Forbidden: the sign-in is too old, or an operator acts as the person.
        """
        actor = actor_of(request)
        if getattr(view, "action", None) not in getattr(view, "fresh_actions", ()):
            return True
        if actor.user_id is None or actor.key_id is not None:
            return True
        from accounts.sign_in.reauthentication import is_fresh, not_for_another  # they need models

        if getattr(request.user, "impersonated_by", ""):
            raise not_for_another(request._request)
        if not is_fresh(request._request):
            raise Forbidden(
                _("You signed in a while ago. Sign in again, then retry."),
                action="reauthentication",
            )
        return True
