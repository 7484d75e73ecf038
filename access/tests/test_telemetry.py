"""Who may read /metrics: a scraper with the token, and operators (the matrix asks every session)."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import UserFactory

TOKEN = "0123456789abcdef0123456789abcdef"


@pytest.fixture(autouse=True)
def _token(settings):
    settings.METRICS_TOKEN = TOKEN


def status(client: Client, **headers: str) -> int:
    return client.get("/metrics", headers=headers).status_code


@pytest.mark.django_db
@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_the_token_opens_it(client: Client, scheme: str):
    response = client.get("/metrics", headers={"Authorization": f"{scheme} {TOKEN}"})
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert b"# TYPE runyard_ingest_posts_total counter" in response.content


@pytest.mark.parametrize(
    "given", ["", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}x", "Bearer", "Bearer é", f"Basic {TOKEN}", TOKEN]
)
@pytest.mark.django_db
def test_anything_else_is_refused(client: Client, given: str):
    response = client.get("/metrics", headers={"Authorization": given} if given else {})
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="Runyard"'


@pytest.mark.django_db
@pytest.mark.parametrize("given", ["Bearer", "Bearer ", "Bearer  "])
def test_where_no_token_is_set_an_empty_one_opens_nothing(client: Client, settings, given: str):
    settings.METRICS_TOKEN = ""
    assert status(client, Authorization=given) == 401


@pytest.mark.django_db
@pytest.mark.parametrize(("is_operator", "answer"), [(True, 200), (False, 403)])
def test_operators_read_it_without_a_token(client: Client, settings, is_operator: bool, answer: int):
    settings.METRICS_TOKEN = ""
    client.force_login(UserFactory(is_operator=is_operator))
    assert status(client) == answer


@pytest.mark.django_db
def test_a_scrape_is_let_in_without_asking_the_database(client: Client):
    """When the database is away, its metrics are wanted most; readings ask in threads of their own."""
    with CaptureQueriesContext(connection) as queries:
        assert status(client, Authorization=f"Bearer {TOKEN}") == 200
    assert not queries.captured_queries


@pytest.mark.django_db
def test_it_is_read_only(client: Client):
    assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


@pytest.mark.django_db
def test_a_scraper_beside_the_server_is_not_sent_to_https(client: Client, settings):
    settings.SECURE_SSL_REDIRECT = True
    assert status(client, Authorization=f"Bearer {TOKEN}") == 200
