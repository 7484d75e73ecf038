"""ALR-6: what the editor's fields mean as the SDK's filters, back again, and in words."""

import json
from typing import Any

import pytest

from access.actions import Preset
from automations.conditions.filters import parse
from automations.editor.filters import filter_of, initial_of
from automations.editor.form import AutomationForm
from automations.editor.run_filters import ChosenRuns, chosen_runs
from automations.editor.words import condition_words
from runs.query.expression import write_expression
from runs.query.mongo import as_filters, read_filters
from tests.automations import change, states, threshold, zscore
from tests.factories import DestinationFactory, ProjectFactory, actor, make_member

METRIC = {
    "event": "RUN_METRIC", "metric": "loss", "aggregate": "AVERAGE", "window": "5", "comparison": "$lt",
    "threshold": "0.1", "action": "NO_OP", "name": "good", "once_in_s": "86400", "is_on": "on",
}  # fmt: skip
CHANGE = METRIC | {
    "event": "RUN_METRIC_CHANGE", "change_aggregate": "AVERAGE", "current_window": "10", "prior_window": "50",
    "direction": "INCREASE", "amount": "20", "measure": "RELATIVE",
}  # fmt: skip
SCORE = METRIC | {"event": "RUN_METRIC_ZSCORE", "z_threshold": "2.5", "side": "DECREASE", "z_window": "30"}
SWEEP = METRIC | {"event": "SWEEP_FINISHED", "ended": ["FINISHED", "STOPPED", "CANCELED"]}
FAILING = METRIC | {"event": "SWEEP_RUNS_FAIL", "failed_percent": "12.5", "least_ended": "4"}
STATE = METRIC | {"event": "RUN_STATE", "states": ["FAILED", "KILLED"]}


@pytest.mark.parametrize(
    ("posted", "words"),
    [
        (METRIC, "loss < 0.1 (mean of 5)"),
        (METRIC | {"aggregate": "LAST", "window": ""}, "loss < 0.1"),
        (METRIC | {"aggregate": "MAX", "comparison": "$gte"}, "loss ≥ 0.1 (largest of 5)"),
        (CHANGE, "loss rises by 20% (mean of 10 against the 50 before)"),
        (CHANGE | {"measure": "ABSOLUTE", "change_aggregate": "LAST"}, "loss rises by 20"),
        (SCORE, "loss is 2.5 standard deviations below the mean of its last 30 values"),
        (STATE, "Run fails or crashes or is killed"),
        (STATE | {"states": ["CRASHED"]}, "Run crashes"),
        (METRIC | {"event": "CREATE_ARTIFACT"}, "A new artifact version is created"),
        (
            METRIC | {"event": "ADD_ARTIFACT_ALIAS", "artifact_match": "^prod"},
            "An artifact version gets an alias: alias ~ ^prod",
        ),
        (SWEEP, "A sweep finishes"),
        (
            SWEEP | {"ended": ["STOPPED", "CANCELED"], "sweep": "^lr-"},
            "A sweep finishes (stopped or canceled): ^lr-",
        ),
        (METRIC | {"event": "SWEEP_NEW_BEST"}, "A sweep has a new best run"),
        (FAILING, "More than 12.5% of a sweep’s runs fail, of at least 4 that ended"),
    ],
)
def test_fields_become_a_filter_that_says_the_same_in_words_and_in_fields(posted: dict[str, Any], words: str):
    form = AutomationForm(posted)
    assert form.is_valid(), form.errors
    condition = parse(form.chosen_event, form.filter())
    assert condition_words(condition) == words
    again = AutomationForm({**posted, **{k: v for k, v in initial_of(condition).items() if v is not None}})
    assert again.is_valid(), again.errors
    assert again.filter() == form.filter()


@pytest.mark.parametrize("wanted", [threshold(), threshold(agg="MIN", window=7, limit=0.25), zscore(), states("FAILED"),
                                    change(kind="RELATIVE", amount=0.15, agg="MAX", window=3, prior=9)])  # fmt: skip
def test_what_the_sdk_sends_is_shown_and_written_again_as_it_was(wanted: dict[str, Any]):
    event = {"states": "RUN_STATE"}.get(next(iter(wanted.get("run_state_filter", {})), ""), "")
    kinds = {
        "threshold_filter": "RUN_METRIC",
        "change_filter": "RUN_METRIC_CHANGE",
        "zscore_filter": "RUN_METRIC_ZSCORE",
    }
    event = event or kinds[next(iter(wanted["run_metric_filter"]))]
    before = parse(event, wanted)
    after = parse(event, filter_of(event, initial_of(before)))
    assert (after.test, after.states) == (before.test, before.states)


@pytest.mark.parametrize(
    ("chosen", "expression"),
    [
        (ChosenRuns(), ""),
        (ChosenRuns(user="ada"), 'user = "ada"'),
        (ChosenRuns(name="^base"), 'name matches "^base"'),
        (
            ChosenRuns("ada", "^base", 'tags contains "x" or config.lr > 0.1'),
            'user = "ada" and name matches "^base" and (tags contains "x" or config.lr > 0.1)',
        ),
        (ChosenRuns(expression='not (state = "running")'), 'not state = "running"'),
    ],
)
def test_the_three_fields_of_runs_are_one_filter_and_come_back(chosen: ChosenRuns, expression: str):
    stored = chosen.stored()
    assert list(json.loads(stored)) == ["$and"], "the SDK wraps run filters so"
    found = chosen_runs(stored)
    assert (found.user, found.name) == (chosen.user, chosen.name)
    assert chosen_runs(found.stored()) == found
    assert found.written() == expression


def test_filters_written_for_programs_are_read_as_the_same_condition():
    text = (
        '{"$or":[{"config.lr":{"$gt":0.1}},{"$not":{"tags":{"$in":["a"]}}},{"summary.x":{"$exists":false}}]}'
    )
    condition = read_filters(text)
    assert write_expression(read_filters(json.dumps(as_filters(condition)))) == write_expression(condition)


@pytest.mark.parametrize(
    ("given", "field", "says"),
    [
        ({"metric": ""}, "metric", "Enter a metric"),
        ({"threshold": "low"}, "threshold", "number"),
        ({"window": "0"}, "window", "greater than or equal to 1"),
        ({"window": "5000"}, "window", "1000"),
        ({"once_in_s": "0"}, "once_in_s", "10 minutes"),
        ({"expression": "loss >"}, "expression", "Unknown column"),
        ({"run_name": "("}, "run_name", "regular expression"),
        ({"event": "RUN_STATE", "states": []}, "states", "at least one state"),
        ({"event": "RUN_METRIC_ZSCORE", "z_threshold": "-1", "z_window": "30", "side": "ANY"}, "z_threshold",
         "greater than 0"),
        ({"action": "GENERIC_WEBHOOK"}, "webhook", "Choose a destination"),
        ({"name": ""}, "name", "required"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_beside_its_field(given: dict[str, Any], field: str, says: str):
    form = AutomationForm(METRIC | given)
    assert not form.is_valid()
    assert says in str(form.errors[field])
    assert set(form.errors) == {field}, "fields that are not shown cannot be wrong"


@pytest.mark.django_db
def test_payloads_are_checked_and_may_name_the_secrets_of_the_team():
    hook = DestinationFactory()
    posted = METRIC | {"action": "GENERIC_WEBHOOK", "webhook": str(hook.pk)}

    def errors(payload: str) -> Any:
        form = AutomationForm(posted | {"payload": payload}, destinations=[hook], secret_names=["TOKEN"])
        return form.errors.get("payload")

    assert errors('{"run": "${run_id}", "token": "${TOKEN}"}') is None
    assert "nknown variable or secret OTHER" in str(errors('{"run": "${OTHER}"}'))
    assert errors('{"run": ') is not None


@pytest.mark.django_db
def test_a_filter_that_only_a_program_writes_is_shown_and_kept(client):
    from tests.automations import make_automation

    project = ProjectFactory()
    wanted = {"$or": [{"$and": [{"alias": {"$in": ["a", "b"]}}]}]}
    automation = make_automation(project, "ADD_ARTIFACT_ALIAS", wanted, name="kept")
    admin = make_member(project.team, Preset.ADMIN)
    client.force_login(admin)
    page = f"/{project.team.name}/{project.name}/automations/{automation.pk}/edit"
    assert "&quot;$in&quot;" in client.get(page).content.decode()
    client.post(page, METRIC | {"event": "ADD_ARTIFACT_ALIAS", "name": "kept still"})
    automation.refresh_from_db()
    assert (automation.name, automation.filter) == ("kept still", wanted)
    assert actor(admin).name
