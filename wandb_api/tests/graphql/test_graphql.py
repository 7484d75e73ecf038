"""``POST /graphql``: shape, statuses and limits, whatever is asked."""

import json
import logging
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from access.models import AuditEntry
from common.errors import Conflict, Forbidden, Gone, NotFound
from metrics.ingest.transaction import write_group
from metrics.models import Stream, StreamKind
from metrics.tests.ingest.test_ingest import post
from runs.models import Run
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory, UserFactory
from wandb_api.graphql import limit_values
from wandb_api.graphql.cost_budget import Budget, ExecutionStopped
from wandb_api.graphql.errors import answer_to, requoted, status_of
from wandb_api.resolvers import viewer
from wandb_api.schema import document_of
from wandb_api.tests.asking import Asker


def deep(levels: int) -> str:
    """Return a document that is ``levels`` deep, by fragments in themselves valid."""
    inner = "id"
    for _ in range(levels - 2):
        inner = f"... on User {{ {inner} }}"
    return f"{{ viewer {{ {inner} }} }}"


def test_as_deep_as_the_limit_is_fine(ada: Asker) -> None:
    assert ada.ask(deep(limit_values.MAX_DEPTH)).data["viewer"]["id"]


def test_a_document_that_is_too_deep_is_refused_with_the_limit(ada: Asker) -> None:
    answer = ada.ask(deep(limit_values.MAX_DEPTH + 1))
    assert (answer.status, answer.messages) == (400, ["The document is nested deeper than 20 levels."])


@pytest.mark.parametrize(
    "document",
    [
        "{" + " ".join(f"a{i}:viewer{{id}}" for i in range(600)) + "}",
        "{ viewer { ...f0 } }"
        + "".join(f" fragment f{i} on User {{ ...f{i + 1} ...f{i + 1} }}" for i in range(15))
        + " fragment f15 on User { id }",
        # no field at all, and yet more steps than anybody would wait for
        "{ viewer { ...f0 } }"
        + "".join(f" fragment f{i} on User {{ {f'...f{i + 1} ' * 50} }}" for i in range(15))
        + " fragment f15 on User { ...nowhere }",
    ],
    ids=["aliases", "fragments", "fragments of nothing"],
)
def test_a_document_that_is_too_wide_is_refused_with_the_limit(ada: Asker, document: str) -> None:
    answer = ada.ask(document)
    assert (answer.status, answer.messages) == (400, ["The document asks for more than 1000 fields."])


def test_a_fragment_of_itself_ends(ada: Asker) -> None:
    assert ada.ask("{ viewer { ...a } } fragment a on User { id ...a }").status == 400


def test_a_document_of_too_many_characters_is_refused_with_the_limit(ada: Asker) -> None:
    answer = ada.ask("{ viewer { id } } #" + "x" * 20_000)
    assert (answer.status, answer.messages) == (400, ["A document may have at most 20000 characters."])


def test_a_body_over_the_limit_is_refused_by_the_settings_name(ada: Asker, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    answer = ada.send({"query": "{ viewer { id } }", "variables": {"x": "y" * 1000}})
    assert answer.status == 413
    assert "at most 1000 bytes here (setting RUNYARD_GRAPHQL_MAX_MIB)" in answer.messages[0]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[1]",
        b"nonsense",
        b"null",
        b"{}",
        {"query": 1},
        {"query": "{x}", "variables": [1]},
        b'{"query": "\xff"}',
    ],
)
def test_a_body_in_another_form_is_400_in_the_same_shape(ada: Asker, body: Any) -> None:
    answer = ada.send(body)
    assert answer.status == 400
    assert answer.messages[0]


def test_a_body_cut_off_inside_a_string_is_400(ada: Asker) -> None:
    assert ada.send(b'{"query": "{ viewer { id }').status == 400


@pytest.mark.parametrize("variables", [None, {}, {"undeclared": 1}])
def test_variables_may_be_missing_null_or_undeclared(ada: Asker, variables: Any) -> None:
    body = {"query": "{ viewer { username } }", "variables": variables, "operationName": None}
    assert ada.send(body).data == {"viewer": {"username": "ada"}}


def test_nul_and_lone_surrogates_in_variables_are_taken(ada: Asker) -> None:
    """PostgreSQL compares with neither."""
    document = (
        "query A($n: String!) { organization(name: $n) { id } project(entityName: $n, name: $n) { id } }"
    )
    assert ada.ask(document, n="a\x00b\ud800").data == {"organization": None, "project": None}


def test_an_operation_is_chosen_by_name(ada: Asker) -> None:
    body = {"query": "query A { viewer { id } } query B { viewer { username } }", "operationName": "B"}
    assert ada.send(body).data == {"viewer": {"username": "ada"}}


@pytest.mark.parametrize("method", ["get", "put", "delete", "patch"])
def test_other_methods_are_405(db: None, method: str) -> None:
    assert getattr(Client(), method)("/graphql").status_code == 405


@pytest.mark.parametrize("authorization", ["", "Basic x", "Bearer ry-" + "x" * 40, "Digest x"])
def test_without_a_good_key_it_is_401_in_the_same_shape(db: None, authorization: str) -> None:
    reply = Client().post(
        "/graphql", {"query": "{ viewer { id } }"}, content_type="application/json",
        headers={"Authorization": authorization},
    )  # fmt: skip
    assert (reply.status_code, reply["WWW-Authenticate"]) == (401, 'Basic realm="Runyard"')
    assert json.loads(reply.content)["errors"][0]["message"]


def test_a_session_cookie_is_no_key(ada: Asker) -> None:
    """Or any page on the web could ask with it: the view is exempt from CSRF."""
    browser = Client()
    browser.force_login(ada.user)
    reply = browser.post("/graphql", {"query": "{ viewer { id } }"}, content_type="application/json")
    assert reply.status_code == 401


def test_an_unknown_field_is_told_with_double_quotes(ada: Asker) -> None:
    """Some fallbacks of the SDK match on the text."""
    answer = ada.ask("{ viewer { nothing } }")
    assert answer.status == 400
    assert answer.messages == ['Cannot query field "nothing" on type "User".']


def test_an_unknown_argument_is_told_with_double_quotes(ada: Asker) -> None:
    answer = ada.ask('{ project(title: "x") { id } }')
    assert answer.messages[0].startswith('Unknown argument "title" on field "Query.project".')


def test_a_syntax_error_says_where(ada: Asker) -> None:
    answer = ada.ask("{ viewer { ")
    assert answer.status == 400
    assert answer.messages[0].startswith("Syntax Error")


def test_quotes_inside_a_message_are_kept() -> None:
    assert requoted("Cannot query field 'x' on type 'Y'.") == 'Cannot query field "x" on type "Y".'


@pytest.mark.parametrize("kind", ["Query", "Mutation", "ServerInfo", "Run"])
def test_older_sdks_may_look_what_there_is(ada: Asker, kind: str) -> None:
    document = f'{{ __type(name: "{kind}") {{ fields {{ name }} }} }}'
    names = {field["name"] for field in ada.ask(document).data["__type"]["fields"]}
    assert names & {"viewer", "upsertBucket", "features", "historyLineCount"}


def test_counts_go_beyond_32_bits(ada: Asker) -> None:
    run = RunFactory(project__team=ada.user.memberships.get().team, user=ada.user)
    Stream.objects.update_or_create(run=run, kind=StreamKind.HISTORY, defaults={"next_row": 2**40})
    document = (
        "query R($p: String!, $n: String!) { project(name: $p) { run(name: $n) { historyLineCount } } }"
    )
    answer = ada.ask(document, p=run.project.name, n=run.uid)
    assert answer.data["project"]["run"]["historyLineCount"] == 2**40


def test_steps_asked_for_may_be_beyond_32_bits(ada: Asker) -> None:
    run = RunFactory(project__team=ada.user.memberships.get().team, user=ada.user)
    document = """query R($p: String!, $n: String!, $min: Int64!, $max: Int64!) {
        project(name: $p) { run(name: $n) { history(minStep: $min, maxStep: $max, samples: 10) } } }"""
    answer = ada.ask(document, p=run.project.name, n=run.uid, min=2**40, max=2**41)
    assert answer.data["project"]["run"]["history"] == []


def test_a_document_is_parsed_and_validated_once() -> None:
    text = "{ viewer { id name } }"
    assert document_of(text)[0] is document_of(text)[0]


def test_a_bug_is_500_without_details_and_with_a_traceback_in_the_log(
    ada: Asker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(viewer, "teams_of", broken)
    answer = ada.ask("{ viewer { id teams { edges { node { name } } } } }")
    assert (answer.status, answer.messages) == (500, ["The server failed on this request; its log says why."])
    records = [record for record in caplog.records if record.exc_info]
    assert "secret detail" in str(records[0].exc_info)
    assert "secret detail" not in json.dumps(answer.body)


@pytest.mark.parametrize(
    "document",
    [
        "{ viewer { nothing } }",
        "{ viewer",
        "query Q($a: Int!) { viewer { id } }",
        'mutation { stopRun(input: {id: "x"}) { success } }',
    ],
)
def test_clients_mistakes_leave_no_traceback(
    ada: Asker, caplog: pytest.LogCaptureFixture, document: str
) -> None:
    with caplog.at_level(logging.INFO):
        assert 400 <= ada.ask(document).status < 500
    assert [record for record in caplog.records if record.exc_info or record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize(
    ("error", "status"),
    [(NotFound("x"), 404), (Gone("x"), 400), (Forbidden("x", action="run.log"), 403), (Conflict("x"), 400)],
)
def test_domain_errors_keep_their_status_but_a_lasting_conflict_is_not_retried(
    error: Any, status: int
) -> None:
    """UpsertBucket of the SDK retries 409."""
    assert status_of(error) == status


def test_no_errors_are_200() -> None:
    assert answer_to([], is_query=True) == (200, [])


@pytest.fixture
def elsewhere(db: None) -> Any:
    """Return a run that nobody else may see."""
    return RunFactory()


SEE = "query See($e: String!, $p: String!) { project(name: $p, entityName: $e) { name } }"


def see(asker: Asker, run: Any, **headers: str) -> Any:
    variables = {"e": run.project.team.name, "p": run.project.name}
    return asker.send({"query": SEE, "variables": variables, "operationName": "See"}, **headers).data[
        "project"
    ]


def test_an_operator_with_the_header_sees_everything_and_it_is_written_down(elsewhere: Any) -> None:
    """TEAM-21."""
    operator = Asker(UserFactory(is_operator=True))
    assert see(operator, elsewhere, **{"Use-Admin-Privileges": "true"}) == {"name": elsewhere.project.name}
    entry = AuditEntry.objects.get(action="operator.elevated")
    assert (entry.user, entry.after) == (operator.user, {"operation": "See"})


def test_an_operator_without_the_header_is_a_person_like_others(elsewhere: Any) -> None:
    assert see(Asker(UserFactory(is_operator=True)), elsewhere) is None
    assert not AuditEntry.objects.filter(action="operator.elevated").exists()


def test_the_header_gives_others_nothing(ada: Asker, elsewhere: Any) -> None:
    """The public API of the SDK sends it always."""
    assert see(ada, elsewhere, **{"Use-Admin-Privileges": "true"}) is None
    assert not AuditEntry.objects.filter(action="operator.elevated").exists()


NESTED = '{ project(name: "nest", entityName: "%s") { runs(first: 1000) { edges { node { %s } } } } }'


def nested(team: str, times: int) -> str:
    """Return a short document that multiplies: runs of the project of runs."""
    inner = "id"
    for _ in range(times):
        inner = f"project {{ runs(first: 1000) {{ edges {{ node {{ {inner} }} }} }} }}"
    return NESTED % (team, inner)


@pytest.fixture
def crowded(ada: Asker) -> str:
    """Return the name of a team with a project of 20 runs."""
    team = Team.objects.get(name=ada.user.username)
    RunFactory.create_batch(20, project=ProjectFactory(team=team, name="nest"))
    return str(team.name)


def test_a_short_document_that_asks_for_millions_is_stopped(ada: Asker, crowded: str, settings: Any) -> None:
    """The review's H3: 209 bytes kept a processor busy for ever."""
    settings.GRAPHQL_MAX_FIELDS = 5000
    assert ada.ask(nested(crowded, 1)).status == 200
    answer = ada.ask(nested(crowded, 3))
    assert answer.status == 400
    assert answer.messages == [
        "One request may cost at most 5000 fields (setting RUNYARD_GRAPHQL_MAX_FIELDS); ask for less at once."
    ]


def test_time_and_bytes_are_bounded_too(ada: Asker, crowded: str, settings: Any) -> None:
    settings.GRAPHQL_MAX_S = 0
    assert "RUNYARD_GRAPHQL_MAX_S" in ada.ask(nested(crowded, 2)).messages[0]
    settings.GRAPHQL_MAX_S = 20
    Run.objects.update(config_text='{"a": {"value": "%s"}}' % ("x" * 1000))
    settings.GRAPHQL_MAX_ANSWER_BYTES = 10_000
    answer = ada.ask(NESTED % (crowded, "config"))
    assert (answer.status, "RUNYARD_GRAPHQL_MAX_ANSWER_MIB" in answer.messages[0]) == (400, True)


def test_time_is_bounded_between_two_blocks_of_a_history(ada: Asker, settings: Any) -> None:
    run = RunFactory(project__team=ada.user.memberships.get().team, user=ada.user)
    write_group([post(run, history=(0, [{"_step": 0, "loss": 1.0}]))])
    settings.GRAPHQL_MAX_S = 0
    document = """query R($p: String!, $n: String!, $specs: [JSONString!]!) { project(name: $p) { run(name: $n) {
        history @include(if: %s) steps: history(minStep: 0) @include(if: %s) sampledHistory(specs: $specs) } } }"""
    for asked in (("true", "false"), ("false", "true"), ("false", "false")):
        answer = ada.ask(document % asked, p=run.project.name, n=run.uid, specs=['{"keys": ["loss"]}'])
        assert "RUNYARD_GRAPHQL_MAX_S" in answer.messages[0]


SAMPLED = """query R($p: String!, $n: String!, $specs: [JSONString!]!) { project(name: $p) { run(name: $n) {
    sampledHistory(specs: $specs) } } }"""


@pytest.fixture
def long_run(ada: Asker) -> Run:
    """Return a run of 3,000 rows of ten numbers and a text."""
    run = RunFactory(project__team=ada.user.memberships.get().team, user=ada.user)
    numbers = {f"metric/{key}": 0.1 for key in range(10)}
    rows = [{"_step": step, "text": "x" * 100, **numbers} for step in range(3000)]
    write_group([post(run, history=(0, rows))])
    return run


def test_rows_of_a_history_are_counted_as_they_are_read(ada: Asker, long_run: Run, settings: Any) -> None:
    """By every spec, of a sample and of a range of steps; whatever number of samples is asked for."""
    settings.GRAPHQL_MAX_ANSWER_BYTES = 1_000_000
    keys = [f"metric/{key}" for key in range(10)]
    few, many, steps = (
        json.dumps({"keys": keys, **spec}) for spec in ({}, {"samples": 10**12}, {"minStep": 0, "samples": 1})
    )
    asked = {"p": long_run.project.name, "n": long_run.uid}
    assert len(ada.ask(SAMPLED, **asked, specs=[few]).data["project"]["run"]["sampledHistory"][0]) == 500
    for specs in ([many], [steps], [few] * 10):
        assert "RUNYARD_GRAPHQL_MAX_ANSWER_MIB" in ada.ask(SAMPLED, **asked, specs=specs).messages[0]


def test_values_that_are_answered_as_json_are_counted(ada: Asker, long_run: Run, settings: Any) -> None:
    asked = {"p": long_run.project.name, "n": long_run.uid, "specs": ['{"keys": ["text"]}']}
    settings.GRAPHQL_MAX_ANSWER_BYTES = 50_000
    with patch.object(Budget, "count_read"):
        assert "RUNYARD_GRAPHQL_MAX_ANSWER_MIB" in ada.ask(SAMPLED, **asked).messages[0]
        settings.GRAPHQL_MAX_ANSWER_BYTES = 50 * 1024 * 1024
        assert ada.ask(SAMPLED, **asked).status == 200


def test_the_number_of_specs_is_bounded(ada: Asker, long_run: Run) -> None:
    asked = {"p": long_run.project.name, "n": long_run.uid}
    answer = ada.ask(SAMPLED, **asked, specs=['{"keys": ["none"]}'] * 101)
    assert answer.messages == ["At most 100 specs can be asked for at once, not 101; ask in parts."]


def test_what_costs_much_counts_for_many_requests(
    ada: Asker, crowded: str, settings: Any, monkeypatch: Any
) -> None:
    settings.GRAPHQL_RATE = 100
    monkeypatch.setattr(Budget, "seconds", 0.1)
    assert ada.ask("{ viewer { id } }").status == 200
    for _ in range(2):
        ada.ask("{ viewer { id } }")
    assert ada.ask("{ viewer { id } }").status == 429


def test_nobody_works_for_a_client_that_has_left() -> None:
    budget = Budget(lambda: True)
    with pytest.raises(ExecutionStopped) as stopped:
        list(budget.through(range(1000)))
    assert stopped.value.error is None
