"""ACC-22, ACC-24, TEAM-21: what operators see of the configuration, and what they change while it runs."""

import os
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client, TestCase
from django.utils import timezone

from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.models import User
from accounts.operators.installation_settings import change
from common import installation_settings
from common.errors import Conflict, Forbidden
from config.admin import configuration
from config.env import Variable
from tests.factories import UserFactory, actor, leave_open

pytestmark = pytest.mark.django_db
SIGN_UP = {"username": "new", "email": "new@corp.example", "password1": "correct horse battery"}


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def _send(client: Client, **values: str) -> Any:
    with TestCase.captureOnCommitCallbacks(execute=True):
        return client.post("/admin/system/", {"signup": "open", "severity": "info", **values})


def _given(monkeypatch: pytest.MonkeyPatch, name: str, value: Any) -> None:
    monkeypatch.setitem(django_settings.ENVIRONMENT, name, Variable(value, None, is_given=True))


def test_sign_up_is_closed_and_limited_at_once(operator: Client):
    """ACC-22."""
    assert _send(operator, signup_domains="Corp.example, lab.example").status_code == 302
    stranger = Client()
    wrong = stranger.post("/accounts/signup/", {**SIGN_UP, "email": "new@else.example"})
    assert "corp.example, lab.example" in wrong.content.decode()
    _send(operator, signup="invitation", signup_domains="corp.example, lab.example")
    assert b"closed" in stranger.get("/accounts/signup/").content.lower()
    stranger.post("/accounts/signup/", SIGN_UP)
    assert not User.objects.filter(username="new").exists()
    entry = AuditEntry.objects.filter(action="installation.change_settings").latest("pk")
    assert (entry.actor_name, entry.after) == ("boss", {"signup": "invitation"})


def test_the_environment_wins_and_the_page_says_so(operator: Client, monkeypatch, settings):
    """ACC-22."""
    change(actor=SYSTEM, values={"signup": "invitation"})
    _given(monkeypatch, "RUNYARD_SIGNUP", "open")
    assert installation_settings.signup() == "open"
    assert "Set by RUNYARD_SIGNUP in the environment." in operator.get("/admin/system/").content.decode()
    with pytest.raises(Conflict, match="RUNYARD_SIGNUP"):
        change(actor=SYSTEM, values={"signup": "open"})
    assert _send(operator, signup="invitation").status_code == 302
    assert installation_settings.signup() == "open"


def test_the_support_contact_is_shown_where_help_is_needed(operator: Client):
    """ACC-24."""
    assert _send(operator, support_contact="nobody").status_code == 422
    _send(operator, support_contact="help@example.com")
    assert "help@example.com" in Client().get("/accounts/login/").content.decode()
    _send(operator, support_contact="")
    assert "help@example.com" not in Client().get("/accounts/login/").content.decode()


def test_an_announcement_is_above_every_page_until_it_ends(operator: Client):
    """TEAM-21: system settings."""
    _send(operator, text="Down on <Sunday>.", severity="warning", until="2999-01-01T00:00")
    page = Client().get("/accounts/login/").content.decode()
    assert 'data-severity="warning"' in page
    assert "Down on &lt;Sunday&gt;." in page
    past = (timezone.now() - timedelta(minutes=1)).isoformat()
    with TestCase.captureOnCommitCallbacks(execute=True):
        change(actor=SYSTEM, values={"announcement": {"text": "gone", "severity": "info", "until": past}})
    assert "gone" not in Client().get("/accounts/login/").content.decode()


def test_only_operators_change_it_and_only_after_showing_who_they_are(operator: Client):
    """TEAM-21."""
    with pytest.raises(Forbidden):
        change(actor=actor(UserFactory()), values={"signup": "invitation"})
    leave_open(operator)
    assert _send(operator, signup="invitation").headers["Location"].startswith("/accounts/reauthenticate/")
    assert installation_settings.signup() == "open"


def test_pages_read_it_from_the_cache(client: Client, django_assert_num_queries):
    """TEAM-21: no query per request."""
    client.get("/accounts/login/")
    with django_assert_num_queries(0):
        assert installation_settings.signup() == "open"
        assert installation_settings.announcement() is None


def test_secrets_are_not_shown(operator: Client, monkeypatch):
    """TEAM-21: value, or "set, hidden"."""
    _given(monkeypatch, "RUNYARD_SECRET_KEY", "very-secret-key-of-the-installation")
    _given(monkeypatch, "RUNYARD_DATABASE_URL", "postgres://runyard:pa55@db:5432/runyard")
    _given(monkeypatch, "RUNYARD_TRACES_HEADERS", "authorization=Bearer pa55")
    page = operator.get("/admin/system/").content.decode()
    assert "set, hidden" in page
    assert "***@db:5432/runyard" in page
    assert "very-secret" not in page
    assert "pa55" not in page


def test_every_variable_is_documented():
    """TEAM-21: the page takes its words from docs/operate/configure.md."""
    read = {name for name in django_settings.ENVIRONMENT if name.startswith("RUNYARD_")}
    assert read - set(configuration.meanings()) == set()


def test_what_nothing_reads_is_named(monkeypatch):
    """TEAM-21: most often it is mistyped."""
    monkeypatch.setenv("RUNYARD_SIGN_UP", "open")
    for name in [name for name in os.environ if name.startswith("RUNYARD_TEST_")]:  # the suite's own
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUNYARD_TEST_REDIS", "")
    assert configuration.unknown() == ["RUNYARD_SIGN_UP"]
