"""Numbers in addresses and bodies that are none, or that no column holds: refused, never a fault of the server."""

import pytest

from access.actions import Preset
from tests.factories import RunFactory, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

NUMBERS = ["²", "٣", "9" * 19, "9" * 24, "9" * 5000, "-" + "9" * 24, "1e3"]
PLACES = [
    "runs/{run}/files?start=", "runs/{run}/logs/lines?start=", "runs/{run}/logs/lines?limit=",
    "runs/{run}/logs/search?text=a&start=", "runs/{run}/media/values?keys=a&step=",
    "series?run={run}&keys=loss&since=", "runs?view=", "runs?offset=", "deleted?page=",
]  # fmt: skip


@pytest.fixture
def run():
    return RunFactory()


@pytest.fixture
def admin(client, run):
    user = make_member(run.project.team, Preset.ADMIN)
    client.force_login(user)
    return user


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("place", PLACES)
def test_a_page_says_so(client, admin, run, place, number):
    """The review's L4; some pages leave out what makes no sense."""
    project = run.project
    path = f"/{project.team.name}/{project.name}/{place.format(run=run.uid)}{number}"
    assert client.get(path).status_code in {200, 400, 404}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_form_of_keys_says_so(client, admin, number):
    """The review's L4."""
    assert client.post("/settings/api-keys/delete", {"key": [number]}).status_code == 302


@pytest.mark.parametrize("pk", [10**18, 2**63, 10**23, -1])
def test_an_id_of_no_row_is_not_found(admin, pk):
    """The review's L4."""
    query = "mutation D($files: [ID!]!) { deleteFiles(input: {files: $files}) { success } }"
    answer = Asker(admin).ask(query, files=[to_id("RunFile", pk)])
    assert answer.status == 404
    assert answer.messages


@pytest.mark.parametrize("step", [1e300, -1e300, 2.0**63, 1e18])
def test_a_step_of_no_row_is_refused(admin, run, step):
    """The review's L4, a sibling: the step of `rewindRun` is a float."""
    project = run.project
    query = "mutation R($input: RewindRunInput!) { rewindRun(input: $input) { rewoundRun { id } } }"
    given = {"runName": run.uid, "entityName": project.team.name, "projectName": project.name}
    given |= {"metricName": "_step", "metricValue": step}
    assert Asker(admin).ask(query, input=given).status in {200, 400}
