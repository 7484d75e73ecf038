"""What people change of their account by REST: addresses (ACC-30 to ACC-34), pictures (ACC-1, TEAM-6), keys."""

import json
import re
from io import BytesIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import MULTIPART_CONTENT, encode_multipart
from PIL import Image

from access.models import AuditEntry
from accounts.access import AccountAction
from accounts.models import ApiKey, OutboxMail, User
from accounts.profile.pictures import MAX_BYTES
from tests.factories import (
    OrganizationFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    basic,
    leave_open,
    make_key,
)

pytestmark = pytest.mark.django_db
EMAILS = "/api/v1/emails/"


@pytest.fixture
def ada() -> User:
    user: User = UserFactory(username="ada", email="ada@example.com")
    EmailAddress.objects.update_or_create(
        user=user, email="ada@example.com", defaults={"primary": True, "verified": True}
    )
    return user


def _ask(user: User, method: str, path: str, body: Any = None, **key: Any) -> Any:
    content = "" if body is None else json.dumps(body)
    if path.startswith(EMAILS):
        key = {"scopes": [AccountAction.MANAGE_EMAILS], **key}
    headers = {"Authorization": basic(make_key(user, **key))}
    return Client().generic(method, path, content, content_type="application/json", headers=headers)


def _other(user: User, **more: Any) -> EmailAddress:
    row: EmailAddress = EmailAddress.objects.create(user=user, email="ada@example.org", **more)
    return row


def test_an_address_is_added_confirmed_made_primary_and_the_old_one_deleted(ada: User):
    """ACC-31 to ACC-33: the whole way, with the mails and audit entries of the page."""
    made = _ask(ada, "POST", EMAILS, {"email": "Ada@Example.org"})
    assert made.status_code == 201, made.content
    row = json.loads(made.content)
    assert row == {"id": row["id"], "email": "ada@example.org", "verified": False, "primary": False}
    assert not made.cookies, "a message for the next page would be kept in one"
    here = f"{EMAILS}{row['id']}/"
    assert _ask(ada, "POST", f"{here}primary/").status_code == 409
    text = OutboxMail.objects.get(to="ada@example.org").text
    assert Client().post(re.findall(r"/accounts/confirm-email/\S+", text)[0]).status_code in {200, 302}
    assert json.loads(_ask(ada, "POST", f"{here}primary/").content)["primary"] is True
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    rows = json.loads(_ask(ada, "GET", EMAILS).content)["results"]
    assert [(one["email"], one["primary"]) for one in rows] == [
        ("ada@example.com", False),
        ("ada@example.org", True),
    ]
    assert _ask(ada, "DELETE", here).status_code == 409, "the primary address stays"
    assert _ask(ada, "DELETE", f"{EMAILS}{rows[0]['id']}/").status_code == 204
    assert list(EmailAddress.objects.values_list("email", flat=True)) == ["ada@example.org"]
    entries = AuditEntry.objects.filter(action__startswith="email.", actor_name="ada")
    assert {"email.add", "email.primary", "email.delete"} <= set(entries.values_list("action", flat=True))


def test_the_link_is_sent_again_once_in_three_minutes(ada: User):
    """ACC-34: 429 says when; a verified address needs none."""
    here = f"{EMAILS}{_other(ada).pk}/resend/"
    assert _ask(ada, "POST", here).status_code == 204
    again = _ask(ada, "POST", here)
    assert again.status_code == 429
    assert 0 < int(again.headers["Retry-After"]) <= 180
    assert OutboxMail.objects.filter(to="ada@example.org").count() == 1
    EmailAddress.objects.update(verified=True)
    assert _ask(ada, "POST", here).status_code == 409


@pytest.mark.parametrize("email", ["nonsense", "ada@example.com"])
def test_what_is_no_new_address_is_refused(ada: User, email: str):
    assert _ask(ada, "POST", EMAILS, {"email": email}).status_code == 400


def test_addresses_are_for_keys_that_reach_to_them(ada: User):
    """An address resets the password, so what changes profiles does not reach so far."""
    assert (
        _ask(ada, "POST", EMAILS, {"email": "a@example.org"}, scopes=[AccountAction.UPDATE]).status_code
        == 403
    )
    unlimited = _ask(ada, "GET", EMAILS, scopes=None)
    assert unlimited.status_code == 403, "it lies on every training host, and must not take the account"
    assert "Use a key with this scope." in unlimited.content.decode()
    wanted = {"scopes": [AccountAction.MANAGE_EMAILS]}
    assert _ask(ada, "POST", "/api/v1/keys/", wanted).status_code == 403, "it makes none that does"
    assert _ask(ada, "POST", EMAILS, {"email": "a@example.org"}).status_code == 201
    bot = ServiceAccountFactory(team=TeamFactory()).user
    assert _ask(bot, "POST", EMAILS, {"email": "bot@example.org"}).status_code == 403
    stranger = UserFactory()
    assert _ask(stranger, "DELETE", f"{EMAILS}{_other(ada).pk}/").status_code == 404


def test_a_browser_left_open_changes_no_address(client: Client, ada: User):
    """ACC-9: nobody is asked by REST, so a session must be as fresh as on pages."""
    client.force_login(ada)
    leave_open(client)
    other = _other(ada, verified=True)
    assert client.post(f"{EMAILS}{other.pk}/primary/").status_code == 403
    other.refresh_from_db()
    assert not other.primary


@pytest.mark.parametrize("is_left_open", [False, True])
def test_a_browser_left_open_makes_no_key_and_deletes_no_team(client: Client, ada: User, is_left_open: bool):
    """ACC-9: as on pages, which would ask; a session that is fresh, or a key, does it."""
    TeamFactory(name="lab", organization=OrganizationFactory(admin=ada), admin=ada)
    client.force_login(ada)
    if is_left_open:
        leave_open(client)
    made = client.post("/api/v1/keys/", {"label": "x"}, content_type="application/json")
    gone = client.delete("/api/v1/teams/lab/")
    if not is_left_open:
        assert (made.status_code, gone.status_code) == (201, 204)
        return
    assert (made.status_code, gone.status_code) == (403, 403)
    assert made.json()["error"]["message"].startswith("You signed in a while ago")
    assert client.get("/api/v1/keys/").status_code == 200
    assert _ask(ada, "DELETE", "/api/v1/teams/lab/").status_code == 204


# Pictures


def _png() -> bytes:
    out = BytesIO()
    Image.new("RGB", (40, 20), "red").save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("place", ["me", "teams/vision", "organizations/acme"])
def test_a_picture_is_sent_shown_and_removed(place: str):
    """ACC-1, TEAM-6: as a form with a square, or by itself."""
    ada = UserFactory(username="ada")
    TeamFactory(name="vision", admin=ada, organization__name="acme", organization__admin=ada)
    path, headers = f"/api/v1/{place}/picture/", {"Authorization": basic(make_key(ada))}
    assert Client().get(path, headers=headers).json() == {"picture": ""}
    sent = Client().put(path, _png(), content_type="image/png", headers=headers)
    assert sent.status_code == 200, sent.content
    shown = sent.json()["picture"]
    assert Client().get(shown).headers["Content-Type"] == "image/webp"
    form = {"picture": SimpleUploadedFile("a.png", _png()), "left": 0, "top": 0, "side": 9}
    content = encode_multipart("BoUnDaRyStRiNg", form)
    assert Client().put(path, content, content_type=MULTIPART_CONTENT, headers=headers).status_code == 200
    assert Client().delete(path, headers=headers).status_code == 204
    assert Client().get(path, headers=headers).json() == {"picture": ""}


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"no picture", "image/png", 400),
        (b"x" * (MAX_BYTES + 1), "image/png", 413),
        (b'{"picture": 1}', "application/json", 415),
        (b"", "image/png", 400),
    ],
)
def test_what_is_no_picture_is_refused(ada: User, content: bytes, kind: str, status: int):
    headers = {"Authorization": basic(make_key(ada))}
    reply = Client().put("/api/v1/me/picture/", content, content_type=kind, headers=headers)
    assert reply.status_code == status, reply.content


@pytest.mark.parametrize("more", [{"left": "1"}, {"left": "nan", "top": "0", "side": "5"}, {"width": "3"}])
def test_a_square_that_is_none_is_refused(ada: User, more: dict[str, str]):
    content = encode_multipart("BoUnDaRyStRiNg", {"picture": SimpleUploadedFile("a.png", _png()), **more})
    headers = {"Authorization": basic(make_key(ada))}
    reply = Client().put("/api/v1/me/picture/", content, content_type=MULTIPART_CONTENT, headers=headers)
    assert reply.status_code == 400
    assert min(more, key=len) in reply.content.decode() or "left" in reply.content.decode()


# Keys


def test_a_key_is_limited_and_never_extended(ada: User):
    """Semantics 3: further, not back."""
    make_key(ada, label="wide", scopes=None)
    here = f"/api/v1/keys/{ApiKey.objects.get(label='wide').pk}/limit/"
    limited = _ask(ada, "POST", here, {"scopes": ["run.view"]})
    assert json.loads(limited.content)["scopes"] == ["run.view"]
    assert _ask(ada, "POST", here, {"scopes": ["run.view", "run.log"]}).status_code == 400
    assert _ask(ada, "POST", here, {"scopes": ["no.such"]}).status_code == 400
    assert _ask(ada, "POST", here, {"scopes": []}).status_code == 400
    assert _ask(ada, "POST", here, {"scope": ["run.view"]}).status_code == 400
