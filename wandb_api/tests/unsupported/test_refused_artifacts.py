"""What is kept and told of artifacts that an SDK wanted to log."""

from typing import Any

import pytest

from runs.files.refused_artifacts import MOST
from runs.lifecycle.timeline import timeline_of
from runs.models import RefusedArtifact, Run
from tests.factories import RunFactory, UserFactory, make_member
from wandb_api.tests.asking import Answer, Asker

pytestmark = pytest.mark.django_db

CREATE = "mutation C($input: CreateArtifactInput!) { createArtifact(input: $input) { artifact { id } } }"
CREATE_OLD = """mutation C($artifactTypeName: String!, $artifactCollectionNames: [String!]) {
  createArtifact(input: {artifactTypeName: $artifactTypeName, artifactCollectionNames: $artifactCollectionNames}) {
    artifact { id } } }"""


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory()
    return made


@pytest.fixture
def ada(run: Run) -> Asker:
    return Asker(make_member(run.project.team))


def given(run: Run, type_: str = "model", name: str = "best", digest: str = "1") -> dict[str, Any]:
    place = {"entityName": run.project.team.name, "projectName": run.project.name, "runName": run.uid}
    return {**place, "artifactTypeName": type_, "artifactCollectionName": name, "digest": digest}


def log(asker: Asker, run: Run, *args: str) -> Answer:
    return asker.ask(CREATE, input=given(run, *args))


def pages_of(run: Run, client: Any, asker: Asker) -> list[str]:
    client.force_login(asker.user)
    base = f"/{run.project.team.name}/{run.project.name}/runs/{run.uid}"
    return [client.get(f"{base}/{tab}").content.decode() for tab in ("overview", "files")]


def test_a_model_is_counted_once_for_each_content_and_its_run_says_so(ada: Asker, run: Run, client: Any):
    for digest in ("1", "2", "2", "1"):
        answer = log(ada, run, "model", "best", digest)
        assert answer.status == 400
        assert answer.messages == [
            "Artifacts are not supported by this version of the Runyard server: the model “best” was not stored."
        ]
    log(ada, run, "dataset", "cats", "3")
    for page in pages_of(run, client, ada):
        assert "3 artifacts were not kept" in page
        assert "<code>best</code>" in page
        assert "2 versions" in page
    assert [mark.label for mark in timeline_of(run).marks] == ["3 artifacts not kept"]


def test_what_old_sdks_send_counts_as_well(ada: Asker, run: Run):
    sent = given(run)
    sent["artifactCollectionNames"] = [sent.pop("artifactCollectionName")]
    assert "“best” was not stored" in ada.ask(CREATE_OLD, **sent).messages[0]
    assert RefusedArtifact.objects.filter(run=run, name="best").count() == 1


def test_what_is_kept_elsewhere_is_told_apart(ada: Asker, run: Run, client: Any):
    for digest in ("1", "2"):
        answer = log(ada, run, "run_table", f"run-{run.uid}-tbl", digest)
        assert "the file is stored, not the artifact" in answer.messages[0]
    assert "“parts” is not needed here" in log(ada, run, "wandb-history", "parts").messages[0]
    assert RefusedArtifact.objects.filter(run=run).count() == 2
    overview, files = pages_of(run, client, ada)
    assert "not kept" not in overview + files
    assert "Nothing is missing" in files
    assert timeline_of(run).marks == []


def test_no_run_keeps_them_without_limit(ada: Asker, run: Run, client: Any):
    rows = [RefusedArtifact(run=run, type="model", name="best", digest=str(n)) for n in range(MOST)]
    RefusedArtifact.objects.bulk_create(rows)
    assert log(ada, run, "model", "best", "more").status == 400
    assert RefusedArtifact.objects.filter(run=run).count() == MOST
    assert "More were logged than shown here." in pages_of(run, client, ada)[0]


def test_who_may_not_log_to_the_run_leaves_nothing_there(run: Run):
    assert log(Asker(UserFactory()), run).status == 400
    assert not RefusedArtifact.objects.exists()


@pytest.mark.parametrize(
    "sent", [{}, {"input": None}, {"input": []}, {"input": {"runName": 3}}, {"digest": {}}]
)
def test_whatever_is_sent_is_refused_with_a_sentence(ada: Asker, sent: dict[str, Any]):
    answer = ada.ask(CREATE, **sent)
    assert answer.status == 400
    assert answer.messages[0].startswith("Artifacts are not supported")


def test_other_questions_about_artifacts_name_none(ada: Asker, run: Run):
    document = '{ project { artifactType(name: "model") { name } } }'
    assert ada.ask(document).messages == [
        "Artifacts are not supported by this version of the Runyard server."
    ]
    assert not RefusedArtifact.objects.exists()
