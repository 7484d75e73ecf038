"""The commands by which operators and scripts make people, teams and keys: JSON, and safe to run twice."""

import json
from io import StringIO
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command

from accounts.api_keys.secrets import actor_of_secret
from accounts.models import ApiKey, User
from teams.models import Membership, Organization, OrganizationMember, ServiceAccount, Team
from tests.factories import OrganizationFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db
TABLES = (User, ApiKey, Organization, OrganizationMember, Team, Membership, ServiceAccount)


def _run(*args: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*args, stdout=out)
    told: dict[str, Any] = json.loads(out.getvalue())
    return told


def _rows() -> list[int]:
    return [table._default_manager.count() for table in TABLES]


def _twice(*args: str) -> dict[str, Any]:
    """Return what the first run says; the second must change nothing and say so."""
    first, after = _run(*args), _rows()
    second = _run(*args)
    assert (first["created"], second["created"]) == (True, False)
    assert second["message"]
    assert _rows() == after
    return first


def test_create_user_makes_a_person_with_a_password_and_a_key():
    told = _twice("create_user", "ada", "--email", "ada@example.com")
    user = User.objects.get(username="ada")
    assert user.check_password(told["password"])
    assert actor_of_secret(told["api_key"], "").name == "ada"
    assert EmailAddress.objects.get(user=user).verified
    assert not user.is_operator


def test_create_user_keeps_a_given_password_to_itself():
    told = _run(
        "create_user", "ada", "--email", "ada@example.com", "--password", "a long enough phrase", "--operator"
    )
    assert "password" not in told
    assert User.objects.get().check_password("a long enough phrase")
    assert User.objects.get().is_operator


def test_create_user_refuses_a_reserved_name_in_one_line():
    with pytest.raises(CommandError, match="The name “admin” is reserved"):
        _run("create_user", "admin", "--email", "ada@example.com")


def test_create_api_key_makes_a_key_of_a_label_once():
    UserFactory(username="ada")
    told = _twice("create_api_key", "Ada", "--label", "lab")
    assert actor_of_secret(told["api_key"], "").name == "ada"


def test_create_api_key_without_a_label_makes_a_further_key():
    UserFactory(username="ada")
    assert _run("create_api_key", "ada")["api_key"] != _run("create_api_key", "ada")["api_key"]


def test_create_organization_and_team():
    UserFactory(username="ada")
    _twice("create_organization", "acme", "--admin", "ada")
    told = _twice("create_team", "vision", "--organization", "acme", "--admin", "ada")
    assert told["organization"] == "acme"
    assert Team.objects.get(name="vision").memberships.get().user.username == "ada"


def test_add_member_gives_a_role_and_never_changes_one():
    TeamFactory(name="vision")
    UserFactory(username="ada")
    told = _twice("add_member", "vision", "ada", "--role", "view-only")
    assert told["role"] == "View-only"
    assert _run("add_member", "vision", "ada", "--role", "admin")["role"] == "View-only"


def test_create_service_account_makes_a_program_with_a_key():
    TeamFactory(name="vision")
    told = _twice("create_service_account", "vision", "nightly")
    assert actor_of_secret(told["api_key"], "").name == told["username"] == "vision.nightly"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("create_api_key", "nobody"), "User “nobody” doesn’t exist"),
        (("create_organization", "acme", "--admin", "nobody"), "User “nobody” doesn’t exist"),
        (
            ("create_team", "vision", "--organization", "nothing", "--admin", "ada"),
            "Organization “nothing” doesn’t exist",
        ),
        (("add_member", "nothing", "ada", "--role", "member"), "Team “nothing” doesn’t exist"),
        (("add_member", "ada", "boss", "--role", "king"), "Unknown role “king”"),
        (("add_member", "ada", "boss", "--role", "member"), "personal entity"),
        (("create_service_account", "ada", "bot"), "personal entity"),
        (("create_organization", "ada", "--admin", "ada"), "is taken"),
        (("createsuperuser",), "create_user"),
    ],
)
def test_a_mistake_ends_in_one_clear_line(command: tuple[str, ...], reason: str):
    UserFactory(username="ada")
    UserFactory(username="boss")
    before = _rows()
    with pytest.raises(CommandError, match=reason):
        _run(*command)
    assert _rows() == before


def test_create_first_operator_prints_a_password_on_an_empty_database_only():
    out = StringIO()
    call_command("create_first_operator", stdout=out)
    operator = User.objects.get()
    password = out.getvalue().split("password")[1].split()[0]
    assert operator.is_operator
    assert operator.check_password(password)
    again = StringIO()
    call_command("create_first_operator", stdout=again)
    assert again.getvalue() == ""
    assert User.objects.get() == operator


def test_an_organization_of_the_same_name_in_other_letters_is_the_same():
    OrganizationFactory(name="Acme")
    UserFactory(username="ada")
    assert _run("create_organization", "acme", "--admin", "ada")["organization"] == "Acme"
