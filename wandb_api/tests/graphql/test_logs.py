"""What operators read of refused GraphQL requests."""

import pytest
from django.test import Client

from accounts.api_keys.services import create_api_key
from tests.factories import RunFactory, actor, basic
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("query", "line"),
    [
        (
            "mutation UpsertView { upsertView { id } }",
            "UpsertView of ada: 400 not supported: reports",
        ),
        ("query Odd { serverInfo { fancy } }", "Odd of ada: 400 ServerInfo.fancy"),
        ('{ viewer { id } entity(name: "nope") { id } }', "{viewer entity} of ada: 200 not_found"),
        ("query A { viewer(", "request of ada: 400 not on the schema"),
        ("query A($n: String!) { entity(name: $n) { id } }", "A of ada: 400 Bad Request"),
    ],
)
def test_a_line_names_operation_person_and_reason(
    ada: Asker, caplog: pytest.LogCaptureFixture, query: str, line: str
):
    caplog.set_level("INFO")
    ada.ask(query)
    assert [record.getMessage() for record in caplog.records] == [f"GraphQL {line}"]


def test_it_names_the_key_by_its_label(ada: Asker, caplog: pytest.LogCaptureFixture):
    _, secret = create_api_key(actor=actor(ada.user), owner=ada.user, label="lap\ntop")
    ada.headers["Authorization"] = basic(secret)
    stop = "mutation StopRun($id: ID!) { stopRun(input: {id: $id}) { success } }"
    ada.send({"query": stop, "variables": {"id": to_id("Run", RunFactory().pk)}, "operationName": ""})
    [record] = caplog.records
    assert record.getMessage() == 'GraphQL StopRun of ada, key "lap\\ntop": 404 not_found'


def test_it_repeats_no_message_in_which_a_client_s_values_are(ada: Asker, caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO")
    answer = ada.ask("query E($n: String!) { entity(name: $n) { id } }", n="hunter2")
    assert "hunter2" in answer.messages[0]
    assert "hunter2" not in caplog.text


def test_of_who_has_no_key_it_says_so(db: None, caplog: pytest.LogCaptureFixture):
    Client().post("/graphql", {"query": "{ viewer { id } }"}, content_type="application/json")
    assert [record.getMessage() for record in caplog.records] == [
        "GraphQL request of anonymous: 401 unauthenticated"
    ]
