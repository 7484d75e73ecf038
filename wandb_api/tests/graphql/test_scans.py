"""Scans and downloads of history ask for the same; a scan reads live what files would change (MET-3)."""

from typing import Any

import pytest

from metrics.ingest.transaction import write_group
from metrics.tests.ingest.test_ingest import post
from runs.models import Run
from teams.models import Team
from tests.factories import ProjectFactory, RunFactory
from wandb_api.tests.asking import Asker

LIVE = {"parquetUrls": [], "liveData": [{"_step": 0}]}
ASK = """query {}($e: String!, $p: String!, $n: String!) {{
    project(name: $p, entityName: $e) {{ run(name: $n) {{ {} }} }} }}"""


@pytest.fixture
def run(ada: Asker) -> Run:
    """Return an ended run whose rows have different keys."""
    team = Team.objects.get(name=ada.user.username)
    made = RunFactory(project=ProjectFactory(team=team))
    rows = [{"_step": 0, "loss": 1.0}, {"_step": 1, "acc": 0.5}]
    write_group([post(made, history=(0, rows), complete=0)])
    return Run.objects.get(pk=made.pk)


def asked(asker: Asker, run: Run, operation: str, field: str) -> Any:
    where = {"e": run.project.team.name, "p": run.project.name, "n": run.uid}
    return asker.ask(ASK.format(operation, field), **where).data["project"]["run"]


def keys(asker: Asker, run: Run, operation: str = "RunHistoryKeys") -> None:
    asked(asker, run, operation, "historyKeys")


def files(asker: Asker, run: Run) -> Any:
    field = 'parquetHistory(liveKeys: ["_step"]) { parquetUrls liveData }'
    return asked(asker, run, "RunParquetHistory", field)["parquetHistory"]


def is_download(answer: Any) -> bool:
    return len(answer["parquetUrls"]) == 1 and answer["liveData"] == []


def test_each_question_for_the_last_step_is_of_one_scan(ada: Asker, run: Run) -> None:
    assert is_download(files(ada, run))
    keys(ada, run)
    keys(ada, run)  # two threads of one program
    assert [files(ada, run), files(ada, run)] == [LIVE, LIVE]
    assert is_download(files(ada, run))
    keys(ada, run)
    assert files(ada, run) == LIVE


def test_other_operations_and_other_runs_are_no_scan(ada: Asker, run: Run) -> None:
    keys(ada, run, operation="Runs")
    keys(ada, RunFactory(project=run.project))
    assert is_download(files(ada, run))


def test_another_key_has_scans_of_its_own(ada: Asker, run: Run) -> None:
    keys(Asker(ada.user), run)
    assert is_download(files(ada, run))


def test_an_active_run_has_no_files(ada: Asker, run: Run) -> None:
    active = RunFactory(project=run.project)
    write_group([post(active, history=(0, [{"_step": 0, "loss": 1.0}]))])
    assert files(ada, active) == LIVE
