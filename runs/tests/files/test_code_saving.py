"""Which code of a run is stored, and what is said where it is not (TEAM-8)."""

from typing import Any

import pytest

from accounts.models import CodeSaving, User
from runs.files.code_saving import is_code
from runs.files.services import upload_paths
from runs.lifecycle.timeline import timeline_of
from runs.models import RefusedFile, Run
from teams.models import Team
from tests.factories import RunFactory, actor, make_member

pytestmark = pytest.mark.django_db

NAMES = ["code/train.py", "config.yaml", "diff.patch"]


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory()
    made.user = make_member(made.project.team)
    made.save()
    return made


def author(run: Run) -> User:
    assert run.user is not None
    return run.user


def stored(run: Run) -> list[str]:
    run = Run.objects.select_related("project__team", "user").get(pk=run.pk)
    paths = upload_paths(actor=actor(author(run)), run=run, names=NAMES)
    return [name for name, path in zip(NAMES, paths, strict=True) if path]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("code/a/b.py", True), ("code/_session_history.ipynb", True), ("diff.patch", True),
     ("upstream_diff_0ab1.patch", True), ("codes/a.py", False), ("media/code/a.png", False),
     ("my-diff.patch", False), ("requirements.txt", False)],
)  # fmt: skip
def test_code_is_known_by_the_names_that_sdks_give_it(name: str, expected: bool):
    assert is_code(name) is expected


def test_all_is_stored_where_nobody_forbids_it(run: Run):
    assert stored(run) == NAMES


def test_a_team_that_forbids_code_gets_none_and_the_run_says_so(run: Run, client: Any):
    """TEAM-8: nobody is mailed, for nothing is missing that was wanted there."""
    Team.objects.filter(pk=run.project.team_id).update(code_saving_allowed=False)
    for _again in range(2):
        assert stored(run) == ["config.yaml"]
    refused = RefusedFile.objects.filter(run=run)
    assert [(file.name, file.reason) for file in refused] == [
        (name, f"{run.project.team.name} does not allow runs to save code.")
        for name in ("code/train.py", "diff.patch")
    ]
    assert [mark.label for mark in timeline_of(run).marks] == ["2 files not stored"]
    client.force_login(author(run))
    page = client.get(f"/{run.project.team.name}/{run.project.name}/runs/{run.uid}/files").content.decode()
    assert "does not allow runs to save code." in page


def test_who_never_saves_code_saves_none_even_by_a_client_that_did_not_ask(run: Run):
    """TEAM-8: `wandb sync` and SDKs with a key in the environment may read no flags."""
    User.objects.filter(pk=author(run).pk).update(code_saving=CodeSaving.NEVER)
    assert stored(run) == ["config.yaml"]


def test_rest_refuses_the_call_that_has_code(run: Run, client: Any):
    Team.objects.filter(pk=run.project.team_id).update(code_saving_allowed=False)
    client.force_login(author(run))
    address = f"/api/v1/runs/{run.project.team.name}/{run.project.name}/{run.uid}/uploads/"
    for names, status in ((NAMES, 409), (["config.yaml"], 200)):
        assert client.post(address, {"names": names}, content_type="application/json").status_code == status
