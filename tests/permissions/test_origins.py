"""Absolute URLs begin with RUNYARD_URL, whatever host the request names."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import SignInProvider
from config.env import ROOT
from tests.factories import UserFactory, basic, delivered, make_key
from tests.fakes.oidc import oidc_provider

pytestmark = pytest.mark.django_db
URL = "https://runyard.example.com:8443"
LOST_PORT, FOREIGN, LISTED = "runyard.example.com", "localhost:6666", "runyard.internal:9000"


@pytest.fixture(autouse=True)
def _settings(settings: Any) -> None:
    settings.BASE_URL, settings.IS_URL_SET = URL, True
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    settings.OTHER_HOSTS = frozenset({"runyard.internal"})


def begin_run(host: str) -> str:
    """Return the URL that REST gives of a new run."""
    headers = {"Authorization": basic(make_key(UserFactory())), "Host": host}
    reply = Client().post(
        "/api/v1/runs/",
        json.dumps({"project": "p", "uid": "r"}),
        content_type="application/json",
        headers=headers,
    )
    assert reply.status_code < 300, reply.content
    return str(reply.json()["url"])


def upload_url(host: str) -> str:
    """Return the signed URL that an SDK gets for a file."""
    user = UserFactory()
    headers = {"Authorization": basic(make_key(user)), "Host": host}
    begin = 'mutation { upsertBucket(input: {modelName: "p", name: "r"}) { inserted } }'
    announce = (
        'mutation { createRunFiles(input: {entityName: "%s", projectName: "p", runName: "r", files: ["a"]})'
        " { files { uploadUrl } } }"
    )
    replies = [
        Client()
        .post("/graphql", json.dumps({"query": document}), content_type="application/json", headers=headers)
        .json()
        for document in (begin, announce % user.username)
    ]
    return str(replies[1]["data"]["createRunFiles"]["files"][0]["uploadUrl"])


def next_page(host: str) -> str:
    """Return the link to a list's next page."""
    user = UserFactory()
    for _ in range(2):
        make_key(user)
    headers = {"Authorization": basic(make_key(user)), "Host": host}
    return str(Client().get("/api/v1/keys/?per_page=1", headers=headers).json()["next"])


def own_url(host: str) -> str:
    """Return what `doctor` compares."""
    return str(Client().get("/accounts/connection/", headers={"Host": host}).json()["url"])


ANSWERS = [begin_run, upload_url, next_page, own_url]


@pytest.mark.parametrize("ask", ANSWERS)
@pytest.mark.parametrize(
    ("host", "begins"), [(LOST_PORT, URL), (FOREIGN, URL), (LISTED, "http://runyard.internal:9000")]
)
def test_an_answer_names_the_server_as_operators_do(ask: Any, host: str, begins: str):
    """Behind nginx's `$host` the port was lost, and uploads went nowhere; names that operators list are kept."""
    assert ask(host).startswith(begins + "/")


@pytest.mark.parametrize("ask", ANSWERS)
def test_without_a_url_the_clients_words_count(ask: Any, settings: Any):
    settings.IS_URL_SET, settings.BASE_URL = False, "http://localhost:8000"
    assert ask("gpu-17:8000").startswith("http://gpu-17:8000/")


@pytest.mark.parametrize("host", [LOST_PORT, FOREIGN, LISTED])
@pytest.mark.parametrize("is_set", [True, False])
def test_links_in_mails_lead_to_the_server_alone(host: str, is_set: bool, settings: Any):
    """On a shared host whoever listens on another port would get the key of a password reset."""
    settings.IS_URL_SET = is_set
    user = UserFactory(email="ada@example.com")
    client = Client(headers={"Host": host})
    client.post("/accounts/password/reset/", {"email": user.email})
    client.post("/accounts/password/reset/", {"email": "unknown@example.com"})
    form = {"username": "newcomer", "email": "new@example.com", "password1": "correct horse battery"}
    Client(headers={"Host": host}).post("/accounts/signup/", form)
    Client(headers={"Host": host}).post(
        "/accounts/signup/", {**form, "username": "other", "email": user.email}
    )
    found = [re.findall(r"https?://\S+", str(mail.body)) for mail in delivered()]
    links = [link for some in found for link in some]
    assert [link for link in links if "/key/" in link]
    assert [link for link in links if "/confirm-email/" in link]
    assert [link for link in links if not link.startswith(URL)] == []


def test_a_provider_is_told_the_callback_at_that_address():
    with oidc_provider() as provider:
        SignInProvider.objects.create(slug="sso", name="SSO", issuer=provider.issuer, client_id="runyard")
        page = Client(headers={"Host": LOST_PORT}).post("/accounts/continue/sso").content.decode()
    assert "redirect_uri=https%3A%2F%2Frunyard.example.com%3A8443%2Faccounts%2Foidc%2Fsso" in page


def test_nothing_else_builds_urls_from_the_request():
    """The two functions of `common.web.origins` do; the others compare a host."""
    allowed = {"common/web/origins.py", "common/web/responses.py", "billing/views/notices.py"}
    apps = [path for path in ROOT.iterdir() if (path / "apps.py").exists()]
    sources = [path for folder in apps for path in folder.rglob("*.py") if "tests" not in path.parts]
    using = {
        str(path.relative_to(ROOT))
        for path in sources
        if re.search(r"get_host\(\)|request\.scheme", path.read_text())
    }
    assert using - allowed == set()
