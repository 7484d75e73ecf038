"""Posts of well-formed HTTP whose content is not what an SDK sends: nesting, numbers, names of files."""

import json

import pytest
from django.test import Client

from accounts.models import User
from tests.hostile_names import NAMES, REFUSED_FILES
from tests.sdk.wire import UPSERT, Run, Wire, history, row
from wandb_api.tests.wire.hostile import VALUES, by_value, filled, fine
from wandb_api.tests.wire.reading import read

pytestmark = pytest.mark.dialect

STREAMS = ("wandb-history.jsonl", "wandb-events.jsonl", "wandb-summary.json", "output.log")
BODIES = [
    "VALUE",
    '{"files": {"x": VALUE}}',
    '{"complete": false, "exitcode": VALUE}',
    '{"files": {"wandb-history.jsonl": {"offset": 0, "content": [{"_step": 0, "a": VALUE}]}}}',
    '{"files": {"wandb-history.jsonl": {"offset": VALUE, "content": ["{}"]}}}',
]


@pytest.fixture
def run(ada: Wire) -> Run:
    return ada.begin("hostile")


@by_value
def test_a_post_of_it_is_refused_or_taken(ada: Wire, run: Run, value: str) -> None:
    for body in BODIES:
        fine(ada.post(run, filled(body, value).encode()), 200, 400)
    read(ada, run)


@by_value
def test_a_line_of_it_is_taken_or_set_aside(ada: Wire, run: Run, value: str) -> None:
    """Never refused, which would end the stream, nor failed at, which would send it again for a week."""
    lines = [
        filled('{"_step": 0, "_timestamp": 1, "a": VALUE}', value),
        value,
        '{"_step": 1, "_timestamp": 2}',
        filled('{"_step": VALUE, "_timestamp": VALUE}', value),
        '{"_step": 7, "_timestamp": 9}',
        filled('{"a": VALUE}', value),
    ]
    files = {name: {"offset": 0, "content": lines} for name in STREAMS}
    fine(ada.post(run, {"files": files}), 200)
    fine(ada.post(run, history(6, row(8))), 200)
    found = [json.loads(line) for line in read(ada, run)["run"]["history"]]
    for line in (json.loads(lines[2]), json.loads(lines[4]), row(8)):
        assert line in found


def test_a_post_for_files_that_are_no_streams_is_taken_and_leaves_none(ada: Wire, run: Run) -> None:
    names = {*REFUSED_FILES, *NAMES} - set(STREAMS)
    files = {name: {"offset": 0, "content": [json.dumps(row(0))]} for name in names}
    fine(ada.post(run, {"files": files, "uploaded": [*names]}), 200)
    found = read(ada, run)["run"]
    assert (found["files"]["edges"], found["history"]) == ([], [])


def test_every_page_of_what_is_left_can_be_opened(ada: Wire) -> None:
    browser = Client()
    browser.force_login(User.objects.get(username="ada"))
    for value in VALUES.values():
        run = ada.begin("pages")
        config = filled('{"a": {"value": VALUE}, "_wandb": {"value": VALUE}}', value)
        ada.ask(UPSERT, project="pages", name=run.uid, config=config)
        lines = [filled('{"_step": 0, "a": VALUE}', value)]
        fine(ada.post(run, {"files": {name: {"offset": 0, "content": lines} for name in STREAMS}}), 200)
        for tab in ("/overview", "/logs/lines"):
            assert browser.get(run.page + tab).status_code == 200, tab
    assert browser.get("/ada/pages", follow=True).status_code == 200
