"""Sessions in the database, as Django's own (the setting SESSION_ENGINE)."""

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from common.database.kept_queries import KeptQuery

_sessions = KeptQuery(lambda key: Session.objects.filter(session_key=key))


class SessionStore(db.SessionStore):
    """Reads a session by a query that is built once: every page does."""

    def _get_session_from_db(self) -> Session | None:
        found = _sessions.first(self.session_key) if self.session_key else None
        if found is None or found.expire_date <= timezone.now():
            self._session_key = None
            return None
        return found
