"""Allauth's app of sessions, without its receivers."""

from allauth.usersessions.apps import UserSessionsConfig


class SessionsConfig(UserSessionsConfig):  # type: ignore[misc]  # allauth has no type stubs
    """Lets `accounts.credentials.sessions` list sessions: allauth stores keys, which open accounts, as they are."""

    def ready(self) -> None:
        """Connect nothing."""
