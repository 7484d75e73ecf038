"""Sessions in the database, as Django's own (the setting SESSION_ENGINE), by the hash of their keys.

A key opens the account as long as its session lasts, and copies of the database are made for backups and tests: they
tell which sessions there are, not by which cookies.
"""

import hashlib

from allauth.account.adapter import get_adapter
from allauth.core.internal.httpkit import HTTP_USER_AGENT_MAX_LENGTH
from allauth.usersessions.models import UserSession
from asgiref.sync import sync_to_async
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.sessions.backends import db
from django.contrib.sessions.base_session import AbstractBaseSession
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from accounts.models import User
from common.database.kept_queries import KeptQuery

_sessions = KeptQuery(lambda key: Session.objects.filter(session_key=key))


def stored_key(key: str) -> str:
    """Return what stands for a session's key in the database: as much of its SHA-256 as the columns take."""
    return hashlib.sha256(key.encode()).hexdigest()[:40]


class SessionStore(db.SessionStore):
    """Reads a session by a query that is built once: every page does."""

    def _get_session_from_db(self) -> Session | None:
        found = _sessions.first(stored_key(self.session_key)) if self.session_key else None
        if found is None or found.expire_date <= timezone.now():
            self._session_key = None
            return None
        return found

    async def _aget_session_from_db(self) -> Session | None:
        return await sync_to_async(self._get_session_from_db)()

    def exists(self, session_key: str) -> bool:
        """Whether there is a session of this key."""
        return bool(super().exists(stored_key(session_key)))

    async def aexists(self, session_key: str) -> bool:
        """As `exists`."""
        return bool(await super().aexists(stored_key(session_key)))

    def create_model_instance(self, data: dict[str, object]) -> AbstractBaseSession:
        """Return the row to save."""
        row = super().create_model_instance(data)
        row.session_key = stored_key(row.session_key)
        return row

    async def acreate_model_instance(self, data: dict[str, object]) -> AbstractBaseSession:
        """As `create_model_instance`."""
        row = await super().acreate_model_instance(data)
        row.session_key = stored_key(row.session_key)
        return row

    def delete(self, session_key: str | None = None) -> None:
        """Delete the session of a key, or this one."""
        key = session_key or self.session_key
        if key is not None:
            super().delete(stored_key(key))

    async def adelete(self, session_key: str | None = None) -> None:
        """As `delete`."""
        key = session_key or self.session_key
        if key is not None:
            await super().adelete(stored_key(key))


def note_session(request: HttpRequest, **_: object) -> None:
    """List the browser of a request among those in which its user is signed in."""
    if not request.session.session_key:
        request.session.save()
    agent = request.headers.get("User-Agent", "")[:HTTP_USER_AGENT_MAX_LENGTH]
    ip = get_adapter().get_client_ip(request)
    known = {"user": request.user, "ip": ip, "user_agent": agent, "last_seen_at": timezone.now()}
    key = stored_key(str(request.session.session_key))
    UserSession.objects.update_or_create(session_key=key, defaults=known)


def live_sessions(user: User) -> list[UserSession]:
    """Return the sessions in which a user is signed in; those that have ended are removed."""
    rows = list(UserSession.objects.filter(user=user))
    sessions = Session.objects.filter(
        session_key__in=[row.session_key for row in rows], expire_date__gt=timezone.now()
    )
    live = {session.session_key for session in sessions if _is_signed_in(session, user)}
    UserSession.objects.filter(pk__in=[row.pk for row in rows if row.session_key not in live]).delete()
    return [row for row in rows if row.session_key in live]


def _is_signed_in(session: Session, user: User) -> bool:
    """Whether a session is still the user's: a new password ends all others."""
    found = SessionStore().decode(session.session_data).get(HASH_SESSION_KEY, "")
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(found, each) for each in hashes)


def end_session(row: UserSession) -> None:
    """Sign a browser out."""
    Session.objects.filter(session_key=row.session_key).delete()
    row.delete()
