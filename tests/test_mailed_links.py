"""Every link that is mailed, when it no longer works: what its page answers, says and offers next (ACC-20, ACC-34).

Links to pages that need no more than a sign-in lead there and back (`TestSignedOut`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import httpx
import pytest
import time_machine
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from asgiref.sync import async_to_sync
from django.test import Client, TestCase
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM
from access.web.requests import actor_of_user
from accounts.models import User
from alerts.preferences.unsubscribe_links import Subscription, token_of
from config.asgi import application
from exports.models import Export, ExportState
from storage.services import store_bytes
from storage.signed_urls import tickets
from teams.invitations import services as invitations
from teams.models import Invitation, Team
from teams.roles.builtin import built_in
from teams.tests.asking import mailed_token
from tests.factories import PASSWORD, OrganizationFactory, TeamFactory, UserFactory, delivered

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@dataclass
class World:
    """Ada and her team; `new` waits for her second address to be confirmed."""

    ada: User
    team: Team

    @property
    def new(self) -> EmailAddress:
        return EmailAddress.objects.get(email="new@example.com")

    @property
    def invitation(self) -> Invitation:
        return Invitation.objects.get()


@pytest.fixture
def world() -> World:
    ada = UserFactory(username="ada", email="ada@example.com")
    EmailAddress.objects.create(user=ada, email="new@example.com", verified=False)
    UserFactory(username="eve")
    organization = OrganizationFactory(name="acme", admin=ada)
    return World(ada, TeamFactory(name="vision", organization=organization, admin=ada))


def _confirmation(world: World) -> str:
    return f"/accounts/confirm-email/{EmailConfirmationHMAC(world.new).key}/"


def _confirmation_spent(world: World) -> str:
    EmailAddress.objects.filter(pk=world.new.pk).update(verified=True)
    return _confirmation(world)


def _confirmation_taken(world: World) -> str:
    eve = User.objects.get(username="eve")
    # by a transaction that is not over yet when the link is read: afterwards only hers is left
    EmailAddress.objects.bulk_create([EmailAddress(user=eve, email="new@example.com", verified=True)])
    mine = EmailAddress.objects.get(user=world.ada, email="new@example.com")
    return f"/accounts/confirm-email/{EmailConfirmationHMAC(mine).key}/"


def _confirmation_gone(world: World) -> str:
    path = _confirmation(world)
    world.new.delete()
    return path


def _confirmation_broken(world: World) -> str:
    return _confirmation(world)[:-4] + "xx/"


def _reset(world: World) -> str:
    Client().post("/accounts/password/reset/", {"email": world.ada.email})
    found = re.search(r"http://localhost:8000(/accounts/password/reset/key/\S+)", str(delivered()[-1].body))
    assert found is not None
    return found[1]


def _reset_spent(world: World) -> str:
    path, client = _reset(world), Client()
    form = client.get(path).headers["Location"]
    client.post(form, {"password1": "a brand new phrase", "password2": "a brand new phrase"})
    return path


def _reset_broken(world: World) -> str:
    return _reset(world)[:-4] + "xx/"


def _reset_of_nobody(_world: World) -> str:
    return "/accounts/password/reset/key/zzzz-cs1-0123456789abcdef/"


def _invitation(world: World) -> str:
    role = built_in(Preset.MEMBER)
    actor = actor_of_user(world.ada)
    with TestCase.captureOnCommitCallbacks(execute=True):
        invitations.invite(actor=actor, team=world.team, role=role, email="new@example.com")
    return f"/invitations/{mailed_token()}"


def _invitation_revoked(world: World) -> str:
    path = _invitation(world)
    invitations.revoke_invitation(actor=SYSTEM, invitation=world.invitation)
    return path


def _invitation_declined(world: World) -> str:
    path = _invitation(world)
    Client().post(f"{path}/decline")
    return path


def _invitation_accepted(world: World) -> str:
    path = _invitation(world)
    Invitation.objects.update(state="accepted", closed_at=timezone.now())
    return path


def _invitation_broken(_world: World) -> str:
    return "/invitations/0123456789abcdef"


def _export(world: World, state: str) -> str:
    row = Export.objects.create(team=world.team, asked_by=world.ada, state=state)
    return f"/exports/{row.pk}/download"


def _export_expired(world: World) -> str:
    return _export(world, ExportState.EXPIRED)


def _export_under_way(world: World) -> str:
    return _export(world, ExportState.RUNNING)


def _unsubscribe(world: World) -> str:
    return f"/unsubscribe/{token_of(Subscription(world.ada.pk, is_own=True))}"


def _unsubscribe_broken(world: World) -> str:
    return _unsubscribe(world)[:-3]


def _unsubscribe_of_nobody(world: World) -> str:
    path = _unsubscribe(world)
    User.objects.filter(pk=world.ada.pk).update(is_active=False)
    return path


SIGN_IN = 'href="/accounts/login/'


class Dead(NamedTuple):
    """A link that does not do what it was mailed for, and what is then so."""

    link: Callable[[World], str]
    days: float
    """How much later it is opened."""
    who: str
    """Who is signed in, if somebody is."""
    status: int
    says: str
    offers: str

    def __str__(self) -> str:
        return f"{self.link.__name__.strip('_')}-{self.days}-{self.who or 'stranger'}"


DEAD = [
    Dead(_confirmation, 0, "", 200, "Is new@example.com the address of the account ada?", "Verify address"),
    Dead(_confirmation, 4, "", 410, "It was valid for 3 days.", "Send a new link"),
    Dead(_confirmation, 4, "ada", 410, "It was valid for 3 days.", "Send a new link"),
    Dead(_confirmation, 0, "eve", 403, "you are signed in as eve", "Use another account"),
    Dead(
        _confirmation_spent,
        0,
        "",
        410,
        "new@example.com is already verified; each link works only once",
        SIGN_IN,
    ),
    Dead(
        _confirmation_spent,
        0,
        "ada",
        410,
        "new@example.com is already verified; each link works only once",
        "/settings/emails",
    ),
    Dead(_confirmation_taken, 0, "", 409, "already verified for another account", SIGN_IN),
    Dead(_confirmation_gone, 0, "", 410, "The address was removed from its account", SIGN_IN),
    Dead(_confirmation_broken, 0, "", 404, "This link is incomplete", SIGN_IN),
    Dead(_confirmation_broken, 0, "ada", 404, "This link is incomplete", "/settings/emails"),
    Dead(_reset, 4, "", 410, "older than 3 days", "Send another link"),
    Dead(_reset, 0, "eve", 403, "you are signed in as eve", "Use another account"),
    Dead(_reset_spent, 0, "", 410, "already used", "Send another link"),
    Dead(_reset_broken, 0, "", 410, "It is incomplete", "Send another link"),
    Dead(_reset_of_nobody, 0, "", 410, "It is incomplete", "Send another link"),
    Dead(_invitation, 15, "", 410, "Ask ada, who invited you", SIGN_IN),
    Dead(_invitation, 0, "eve", 403, "which isn’t an address of eve", "Use another account"),
    Dead(
        _invitation_revoked,
        0,
        "",
        410,
        "ada invited you. If you think this is a mistake, ask them.",
        SIGN_IN,
    ),
    Dead(
        _invitation_declined,
        0,
        "",
        410,
        "ada invited you. If you think this is a mistake, ask them.",
        SIGN_IN,
    ),
    Dead(_invitation_accepted, 0, "", 409, "was already accepted", SIGN_IN),
    Dead(_invitation_broken, 0, "", 404, "Ask for a new invitation", SIGN_IN),
    Dead(_export_expired, 0, "ada", 410, "Archives are kept for 7 days.", "Create archive"),
    Dead(_export_under_way, 0, "ada", 410, "The archive is not ready yet", "/teams/vision/export"),
    Dead(_export_expired, 0, "eve", 404, "This export doesn’t exist.", 'href="/"'),
    Dead(_unsubscribe_broken, 0, "", 404, "This link is incomplete", "/settings/alerts"),
    Dead(
        _unsubscribe_of_nobody,
        0,
        "",
        404,
        "This account was deleted and no longer gets email.",
        "/settings/alerts",
    ),
]


@pytest.mark.parametrize("case", DEAD, ids=str)
def test_says_what_happened_and_what_to_do(world: World, client: Client, case: Dead):
    path = case.link(world)
    user = User.objects.get(username=case.who) if case.who else None
    if user:
        client.force_login(user)
    with time_machine.travel(timezone.now() + timedelta(days=case.days), tick=True):
        reply = client.get(path, headers=HTML, follow=True)
    page = reply.content.decode()
    assert reply.status_code == case.status
    assert case.says in page
    assert case.offers in page
    assert client.session.get("_auth_user_id") == (str(user.pk) if user else None)


def test_a_link_of_nobody_says_no_more_than_one_of_somebody(world: World, client: Client):
    """ACC-20: a dead link tells nobody whether there is an account."""
    pages = [
        re.sub(r'nonce="[^"]*"|value="[^"]*"', "", client.get(path, headers=HTML).content.decode())
        for path in (_reset_of_nobody(world), _reset_broken(world))
    ]
    kept = [re.sub(r"/accounts/password/reset/key/\S+/", "", page) for page in pages]
    assert kept[0] == kept[1]


def test_an_expired_link_is_sent_anew_to_its_address_alone(world: World, client: Client):
    """ACC-34: by whoever holds it, at most once in three minutes."""
    path = _confirmation(world)
    with time_machine.travel(timezone.now() + timedelta(days=4), tick=True):
        assert "We sent a new link to new@example.com" in client.post(path, headers=HTML).content.decode()
        again = client.post(path, headers=HTML)
        assert (again.status_code, int(again.headers["Retry-After"]) > 0) == (429, True)
        assert re.search(r"No email was sent\. You can send another in \d minutes", again.content.decode())
        (mail,) = delivered()
        assert mail.to == ["new@example.com"]
        assert not EmailAddress.objects.get(email="new@example.com").verified


def test_a_link_for_another_account_works_once_one_has_signed_out(world: World, client: Client):
    path = _confirmation(world)
    client.force_login(User.objects.get(username="eve"))
    assert client.post(path, headers=HTML).status_code == 403
    assert not world.new.verified
    assert client.post("/accounts/logout/", {"next": path}).headers["Location"] == path
    assert client.post(path, headers=HTML).headers["Location"] == "/accounts/login/"
    assert world.new.verified


class TestFiles:
    @async_to_sync
    async def _get(self, path: str, **headers: str) -> httpx.Response:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            return await client.get(
                path, headers={name.replace("_", "-"): text for name, text in headers.items()}
            )

    @pytest.mark.parametrize(
        ("days", "cut", "says"), [(30, 0, "This link has expired"), (0, 3, "This link does not work")]
    )
    def test_signed_links_say_it_on_a_page_in_a_browser(
        self, days: float, cut: int, says: str, tmp_path, settings
    ):
        """Programs are answered as before."""
        settings.BLOB_ROOT = tmp_path
        path = tickets.get_path(store_bytes(b"x"), name="x.txt", content_type="text/plain")
        ticket, _slash, name = path.rpartition("/")
        path = f"{ticket[: len(ticket) - cut]}/{name}"
        with time_machine.travel(timezone.now() + timedelta(days=days), tick=True):
            page = self._get(path, Accept="text/html", Accept_Language="ko-KR, en;q=0.5" if cut else "en")
            assert page.status_code == 403
            assert ("<html" in page.text, says in page.text) == (True, not cut)
            assert self._get(path, Accept="*/*").json()["error"]["code"] == "forbidden"


PAGES = [
    "/settings/emails", "/settings/api-keys", "/settings/alerts", "/settings/security", "/exports/1/download",
    "/vision/swim/runs/1", "/organizations/acme/billing",
]  # fmt: skip
"""What mails about alerts, keys, invoices, archives and the account lead to."""


class TestSignedOut:
    @pytest.mark.parametrize("path", PAGES)
    def test_leads_to_sign_in_and_back(self, world: World, client: Client, path: str):
        reply = client.get(path, headers=HTML)
        assert reply.status_code == 302
        assert reply.headers["Location"] == f"/accounts/login/?next={path}"
        back = client.post(reply.headers["Location"], {"login": "ada", "password": PASSWORD})
        assert back.headers["Location"] == path
