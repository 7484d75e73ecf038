"""The web adapter: who is sent where, and how refusals look."""

from collections.abc import Callable

import pytest
from django.test import Client, RequestFactory

from access.actor import ANONYMOUS, ActorKind
from access.web.requests import actor_of, actor_of_user, address_in, address_of
from accounts.models import User
from tests.factories import RunFactory, ServiceAccountFactory, TeamFactory, UserFactory

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html"}


@pytest.mark.parametrize("path", ["/admin/", "/admin/accounts/user/", "/admin/accounts/user/1/"])
def test_the_admin_is_refused_to_people_with_403_and_a_page(client: Client, path: str):
    """TEAM-21, row "system settings"."""
    client.force_login(UserFactory())
    response = client.get(path, headers=HTML)
    assert response.status_code == 403
    assert b"Only operators" in response.content


def test_the_admin_sends_strangers_to_the_one_sign_in_page(client: Client):
    response = client.get("/admin/accounts/user/")
    assert response.headers["Location"] == "/accounts/login/?next=/admin/accounts/user/"


def test_the_admins_old_addresses_lead_on_for_operators(client: Client):
    operator = UserFactory(is_operator=True)
    client.force_login(operator)
    response = client.get(f"/admin/accounts/user/{operator.pk}/")
    assert response.headers["Location"] == f"/admin/accounts/user/{operator.pk}/change/"


def test_a_refusal_names_the_person_the_action_and_the_run(client: Client, member_of: Callable[..., User]):
    run = RunFactory(project__visibility="public", display_name="seven-oaks-7")
    client.force_login(UserFactory(username="una"))
    response = client.post(f"/{run.project.team}/{run.project}/runs/{run.uid}/stop", headers=HTML)
    assert response.status_code == 403
    page = response.content.decode()
    assert "una" in page
    assert "run.stop" in page
    assert "seven-oaks-7" in page


def test_a_script_gets_refusals_as_json(client: Client):
    run = RunFactory()
    client.force_login(UserFactory())
    response = client.get(f"/{run.project.team}/{run.project}", headers={"Accept": "application/json"})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "not_found"


def test_a_hidden_page_sends_a_visitor_to_sign_in_and_back(client: Client):
    run = RunFactory()
    path = f"/{run.project.team}/{run.project}"
    assert client.get(path, headers=HTML).headers["Location"] == f"/accounts/login/?next={path}"


def test_a_hidden_page_looks_like_a_missing_one(client: Client):
    """What is not visible and what is not there read the same."""
    run = RunFactory()
    client.force_login(UserFactory())
    hidden = client.get(f"/{run.project.team}/{run.project}", headers={"Accept": "application/json"})
    missing = client.get(f"/{run.project.team}/no-such", headers={"Accept": "application/json"})
    names = (str(run.project), "no-such")
    assert hidden.content.decode().replace(names[0], "") == missing.content.decode().replace(names[1], "")


def test_an_account_that_is_switched_off_is_signed_out_at_once(client: Client):
    user = UserFactory()
    client.force_login(user)
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert client.get("/").status_code == 302


def test_actors_say_what_they_are():
    person, bot = UserFactory(), ServiceAccountFactory(team=TeamFactory()).user
    assert actor_of_user(None) == ANONYMOUS
    assert actor_of_user(person).kind is ActorKind.PERSON
    assert actor_of_user(bot).kind is ActorKind.SERVICE


@pytest.mark.parametrize(("path", "is_operator", "elevated"), [
    ("/admin/", True, True), ("/admin/", False, False), ("/team", True, False),
])  # fmt: skip
def test_operators_are_elevated_in_the_admin_only(
    rf: RequestFactory, path: str, is_operator: bool, elevated: bool
):
    """TEAM-21: S acts in organizations only through the admin or with the explicit header."""
    request = rf.get(path)
    request.user = UserFactory(is_operator=is_operator)
    assert actor_of(request).elevated is elevated


def test_the_address_is_the_callers_unless_a_proxy_is_declared(rf: RequestFactory, settings):
    request = rf.get("/", headers={"X-Forwarded-For": "10.0.0.1, 10.0.0.2"}, REMOTE_ADDR="192.0.2.7")
    settings.BEHIND_PROXY = False
    assert address_of(request) == "192.0.2.7"
    settings.BEHIND_PROXY = True
    assert address_of(request) == "10.0.0.2"


@pytest.mark.parametrize(("is_proxied", "address"), [(False, "192.0.2.7"), (True, "10.0.0.2")])
def test_lean_endpoints_see_the_same_address_as_all_others(settings, is_proxied: bool, address: str):
    """The review's L9: behind a proxy clients do not share one counter of bad keys."""
    settings.BEHIND_PROXY = is_proxied
    scope = {"client": ("192.0.2.7", 1234)}
    assert address_in(scope, {b"x-forwarded-for": b"10.0.0.1, 10.0.0.2"}) == address
    assert address_in(scope, {}) == "192.0.2.7"
