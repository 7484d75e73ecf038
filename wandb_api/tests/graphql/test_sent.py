"""Every operation of the SDKs, sent with plausible variables, is answered, or refused in one sentence (appendix A)."""

import re
from typing import Any

import pytest
from django.db import transaction

from access.actor import SYSTEM
from artifacts.tests.factories import make_version
from artifacts.versions.links import link_version
from runs.models import Run
from teams.models import Team
from tests import sdks
from tests.factories import ProjectFactory, RunFactory
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests import protocol
from wandb_api.tests.asking import Answer, Asker
from wandb_api.tests.operations import Operation
from wandb_api.tests.variables import variables_for

pytestmark = [pytest.mark.sdk, pytest.mark.django_db]

OFF_THE_SCHEMA = re.compile(
    r"Cannot query|Unknown (argument|type|fragment|field)|unknown field|must (not )?have a selection|got invalid value"
    r"|used in position|of required type|Expected value of type|Syntax Error|never used"
)
"""How graphql-core says that a document or its variables do not fit the schema."""


@pytest.fixture
def run(ada: Asker) -> Run:
    return RunFactory(project=ProjectFactory(team=Team.objects.get(name="ada"), name="p"), user=ada.user)


@pytest.fixture
def known(run: Run) -> dict[str, Any]:
    version = make_version(run.project, "net", run=run)
    portfolio = link_version(actor=SYSTEM, version=version, project=run.project, name="best").collection
    return {
        "artifactID": to_id("Artifact", version.pk), "collection": "net", "artifactCollectionName": "net",
        "type": "model", "artifactTypeName": "model", "alias": "latest", "tagName": "new", "digest": version.digest,
        "artifactSequenceID": to_id("ArtifactCollection", version.collection_id), "cursor": "", "order": "",
        "artifactPortfolioID": to_id("ArtifactCollection", portfolio.pk), "destinationArtifactTypeName": "dataset",
        "entity": "ada", "entityName": "ada", "project": "p", "projectName": "p", "modelName": "p",
        "run": run.uid, "runName": run.uid, "name": run.uid, "id": to_id("Run", run.pk), "metricName": "_step",
        "teamName": "new-team", "email": "new@example.com", "state": "failed", "urlEndpoint": "https://x.example.com",
        "scopeID": to_id("Project", run.project_id),
    }  # fmt: skip


def send(ada: Asker, text: str, known: dict[str, Any]) -> Answer:
    """Send an operation, and undo what it did."""
    with transaction.atomic():
        answer = ada.send({"query": text, "variables": variables_for(text, known)})
        transaction.set_rollback(True)
    return answer


def fault_of(operation: Operation, answer: Answer) -> str:
    """Return what is wrong with an answer, "" for nothing."""
    messages = [error["message"] for error in answer.body.get("errors", ())]
    if (feature := protocol.refused(operation)) is not None:
        return "" if (answer.status, messages) == (400, [feature.value]) else str(answer)
    is_off = answer.status >= 500 or any(map(OFF_THE_SCHEMA.search, messages))
    return str(answer) if is_off else ""


@pytest.mark.parametrize("version", sdks.tried())
def test_every_operation_is_answered_or_refused_in_one_sentence(
    ada: Asker, known: dict[str, Any], version: str
) -> None:
    """Most of what is served answers without an error, or the variables would not be plausible."""
    answers = [(one, send(ada, one.text, known)) for one in protocol.sent_by(version)]
    assert {one.name: fault for one, answer in answers if (fault := fault_of(one, answer))} == {}
    served = [(one.name, answer) for one, answer in answers if not protocol.refused(one)]
    failed = {name: answer.messages for name, answer in served if answer.body.get("errors")}
    assert len(failed) < len(served) / 3, failed
