"""What the pages of one's own sign-in show and change: ways in, second factors, sessions."""

from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.internal.flows.connect import disconnect
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from access.audit.log import record
from access.web.requests import actor_of
from accounts.credentials.sessions import end_session, live_sessions, stored_key
from accounts.models import SignInProvider, User
from accounts.sign_in import providers
from accounts.sign_in.sso import PROVEN
from common.errors import Conflict

_SEEN_EVERY = timedelta(minutes=5)
_SEEN = "seen_at"
_BROWSERS = (
    ("Edg", "Edge"),
    ("OPR", "Opera"),
    ("Firefox", "Firefox"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
)
_SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Connection:
    """A provider that opens the account."""

    account: SocialAccount
    provider: SignInProvider | None

    @property
    def name(self) -> str:
        """What the provider is called here."""
        return self.provider.name if self.provider else str(self.account.provider)

    @property
    def login(self) -> str:
        """What the person is called there."""
        claims = self.account.extra_data
        claims = claims.get("userinfo") or claims.get("id_token") or claims
        names = (claims.get(key) for key in ("login", "preferred_username", "email", "name"))
        return str(next(filter(None, names), self.account.uid))


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that is signed in."""

    row: UserSession
    is_current: bool

    @property
    def device(self) -> str:
        """Browser and system, as far as the browser says."""
        agent = str(self.row.user_agent)
        browser = next((name for mark, name in _BROWSERS if mark in agent), "")
        system = next((name for mark, name in _SYSTEMS if mark in agent), "")
        if browser and system:
            return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
        return browser or system or agent[:60] or _("Unknown device")


def connections_of(user: User) -> list[Connection]:
    """Return the providers connected to the account, with their rows."""
    rows = {provider.slug: provider for provider in providers.enabled_providers()}
    accounts = SocialAccount.objects.filter(user=user).order_by("pk")
    return [Connection(account, rows.get(account.provider)) for account in accounts]


def end_connection(request: HttpRequest, user: User, pk: int) -> None:
    """Disconnect a provider; one that is not connected, or no longer, is left alone.

    Raises:
        Conflict: nothing else would open the account.
    """
    account = SocialAccount.objects.filter(user=user, pk=pk).first()
    if account is None:
        return
    if not user.has_usable_password() and not has_other_way_in(user, account):
        raise Conflict(_("Set a password first; otherwise you couldn’t sign in."))
    disconnect(request, account)


def has_other_way_in(user: User, account: SocialAccount) -> bool:
    """Whether a passkey or another provider opens the account."""
    others = SocialAccount.objects.filter(user=user).exclude(pk=account.pk)
    passkeys = Authenticator.objects.filter(user=user, type=Authenticator.Type.WEBAUTHN)
    return bool(others.exists() or passkeys.exists())


def sessions_of(request: HttpRequest, user: User) -> list[Session]:
    """Return the browsers that are signed in, this one first, then the latest."""
    here = stored_key(str(request.session.session_key))
    sessions = [Session(row, row.session_key == here) for row in live_sessions(user)]
    return sorted(sessions, key=lambda one: (not one.is_current, -one.row.last_seen_at.timestamp()))


def end_sessions(request: HttpRequest, user: User, pk: int | None) -> int:
    """Sign out one of the user's other browsers, or with ``None`` all of them; returns how many."""
    others = UserSession.objects.filter(user=user).exclude(
        session_key=stored_key(str(request.session.session_key))
    )
    ended = list(others if pk is None else others.filter(pk=pk))
    for row in ended:
        end_session(row)
    if ended:
        record(actor_of(request), "session.end", user, after={"count": len(ended)})
    return len(ended)


def begin_activity(request: HttpRequest, **_more: object) -> None:
    """Note the beginning of a session: who has just signed in need not be noted again."""
    request.session[_SEEN] = timezone.now().isoformat()


def record_activity(request: HttpRequest) -> None:
    """Write down, at most every five minutes, that a session is used; the session itself remembers when."""
    now = timezone.now()
    last = parse_datetime(request.session.get(_SEEN, "")) if request.session.get(_SEEN) else None
    if last is not None and now - last < _SEEN_EVERY:
        return
    request.session[_SEEN] = now.isoformat()
    key = stored_key(str(request.session.session_key))
    address = actor_of(request).address
    changed = {"last_seen_at": now} | ({"ip": address} if address else {})
    UserSession.objects.filter(session_key=key).update(**changed)


def methods_of(user: User, address: EmailAddress, connections: list[Connection]) -> list[str]:
    """Return how one may sign in as the holder of an address (ACC-30)."""
    found = [_("Password")] if user.has_usable_password() else []
    for connection in connections:
        claims = connection.account.extra_data
        claims = {**(claims.get("id_token") or {}), **(claims.get("userinfo") or {}), **claims}
        proven = {str(claims.get("email", "")).lower(), *claims.get(PROVEN, ())}
        if address.email.lower() in proven:
            found.append(connection.name)
    return found
