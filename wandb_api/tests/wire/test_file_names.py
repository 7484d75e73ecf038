"""Names of files that leave a run's folder, and odd ones that do not."""

import httpx
import pytest

from tests.sdk.wire import CREATE_FILES, Run, Wire
from wandb_api.tests.wire.hostile import REFUSED_NAMES, TAKEN_NAMES, fine
from wandb_api.tests.wire.reading import ask, read

DELETE = "mutation D($files: [ID!]!) { deleteFiles(input: {files: $files}) { success } }"


@pytest.fixture
def run(ada: Wire) -> Run:
    return ada.begin("names")


def create(ada: Wire, run: Run, name: str) -> httpx.Response:
    return ask(ada, CREATE_FILES, entity=run.entity, project=run.project, run=run.uid, files=[name])


@pytest.mark.parametrize("name", REFUSED_NAMES, ids=lambda name: ascii(name)[:30])
def test_a_name_that_leaves_the_folder_is_refused(ada: Wire, run: Run, name: str) -> None:
    """By Windows' rules too: the SDK joins it to the folder that it downloads into."""
    fine(create(ada, run, name), 400)


@pytest.mark.dialect
@pytest.mark.parametrize("name", TAKEN_NAMES, ids=lambda name: ascii(name)[:30])
def test_a_file_of_an_odd_name_is_kept_found_and_deleted(ada: Wire, run: Run, name: str) -> None:
    put = fine(create(ada, run, name), 200).json()["data"]["createRunFiles"]["files"][0]["uploadUrl"]
    content = f"of {name!a}".encode()
    assert ada.http.put(put, content=content).status_code == 200
    found = read(ada, run)["run"]
    [edge] = found["files"]["edges"]
    assert edge["node"]["name"] == name.replace("\x00", "\ufffd").replace("\ud800", "?")
    reply = ada.http.get(edge["node"]["url"])
    assert (reply.status_code, reply.content) == (200, content)
    assert found["history"] == []
    assert ada.data(DELETE, files=[edge["node"]["id"]])["deleteFiles"]["success"] is True
