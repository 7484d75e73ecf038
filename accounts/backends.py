"""The authentication backend: loads the user of a session together with their name."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend

from accounts.models import User
from common.database.kept_queries import KeptQuery

_users = KeptQuery(lambda pk: User.objects.select_related("claim").filter(pk=pk))


class SessionBackend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no type stubs
    """Allauth's backend, which reads the user together with the claim: every page draws their picture."""

    def get_user(self, user_id: Any) -> User | None:
        """Return the active user of a session, or None."""
        user = _users.first(int(user_id))
        return user if user is not None and self.user_can_authenticate(user) else None
