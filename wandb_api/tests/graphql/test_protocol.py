"""Every GraphQL operation of every supported SDK is valid on our schema, or refused by the table, and written down."""

import re

import pytest
from graphql import GraphQLInputObjectType, GraphQLObjectType

from tests import sdks
from wandb_api.schema import document_of, schema
from wandb_api.tests import protocol
from wandb_api.tests.asking import Asker
from wandb_api.tests.operations import Operation, operations_of
from wandb_api.unsupported import fields
from wandb_api.unsupported.fields import REFUSED, Feature, unknown_field

pytestmark = pytest.mark.sdk

OF_ALL = pytest.mark.exhaustive("look into all releases of the SDK")
LIFE = """
    Viewer ServerFeaturesQuery OrganizationCoreWeaveOrganizationID UpsertBucket CreateRunFiles MarkRunFilesUploaded
    RunResumeStatus RunParquetHistory HistoryPage SampledHistoryPage RunConsoleLogPage RunConsoleLogTail StopRun
    NotifyScriptableRunAlert RewindRun Run Runs RunFiles DeleteRun deleteFiles GetProjects CreateProject
    RunFullHistory RunSampledHistory
    ArtifactType CreateArtifact CreateArtifactManifest CreateArtifactFiles CompleteMultipartUploadArtifact
    ClientIDMapping CommitArtifact UseArtifact LinkArtifact ArtifactByID ArtifactMembershipByName FetchArtifactManifest
    GetArtifactMembershipFileUrls ArtifactMembershipFiles UpdateArtifact AddAliases DeleteAliases DeleteArtifact
    ProjectArtifacts RunInputArtifacts RunOutputArtifacts
""".split()
CONSEQUENCES = re.compile(r'Unknown type "')
"""What else a document says that asks for a refused field: it names a type that is only reached through the field."""


@pytest.mark.parametrize("version", sdks.tried())
def test_every_operation_is_valid_or_refused_by_the_table(version: str) -> None:
    """What fails here is new in an SDK: serve it, or add its fields to wandb_api/unsupported/fields.py."""
    unlisted = {
        f"{operation.name} ({operation.source})": problems
        for operation in protocol.sent_by(version)
        if (problems := _unlisted(operation))
    }
    assert unlisted == {}


def _unlisted(operation: Operation) -> list[str]:
    return [
        error.message
        for error in document_of(operation.text)[1]
        if unknown_field(error) not in REFUSED and not CONSEQUENCES.match(error.message)
    ]


@pytest.mark.parametrize("version", sdks.tried())
def test_what_is_not_valid_says_which_feature_is_missing(version: str) -> None:
    unclear = [
        operation.name
        for operation in protocol.sent_by(version)
        if document_of(operation.text)[1] and protocol.refused(operation) is None
    ]
    assert unclear == []


@pytest.mark.parametrize("version", sdks.tried())
def test_every_string_that_begins_like_an_operation_was_put_together(version: str) -> None:
    """Or the check would pass over what it cannot read."""
    found = operations_of(version)
    names = {operation.name for operation in found.operations}
    assert {template for template in found.templates if template[1] not in names} == set()
    assert len(found.templates) > 100


def test_the_whole_life_of_a_run_and_of_an_artifact_is_found_and_valid() -> None:
    """Or the check could be green by finding nothing."""
    valid = {op.name for op in protocol.sent_by("0.31.0") if not document_of(op.text)[1]}
    assert set(LIFE) - valid == set()


def test_the_go_core_s_documents_are_found() -> None:
    by_core = [op for op in operations_of("0.31.0").operations if op.source == "bin/wandb-core"]
    assert len(by_core) > 40


@pytest.mark.parametrize("field", sorted(REFUSED))
def test_a_refused_field_is_not_in_the_schema(field: str) -> None:
    """Who brings a feature removes its fields from the table."""
    type_name, name = field.split(".")
    kind = schema().type_map[type_name]
    assert isinstance(kind, GraphQLObjectType | GraphQLInputObjectType)
    assert name not in kind.fields


@OF_ALL
def test_every_refused_field_is_asked_for_by_some_sdk() -> None:
    asked = {
        unknown_field(error)
        for version in sdks.tried()
        for operation in operations_of(version).operations
        for error in document_of(operation.text)[1]
    }
    assert set(REFUSED) - asked == fields.ELSEWHERE
    assert set(protocol.NOT_SENT) - asked == set()


UNDERSTOOD = {"LaunchAgent"}
"""Of these, null is understood: there is no such feature."""


@pytest.mark.parametrize("version", sdks.tried())
def test_a_type_that_an_sdk_asks_for_by_name_exists(version: str) -> None:
    """SDKs up to 0.22 read ``None.get(…)`` otherwise."""
    texts = " ".join(operation.text for operation in operations_of(version).operations)
    asked = set(re.findall(r'__type\(name: "(\w+)"\)', texts))
    assert asked - UNDERSTOOD - set(schema().type_map) == set()


@pytest.mark.parametrize("feature", Feature, ids=lambda feature: feature.name.lower())
def test_the_sdk_is_told_what_this_server_does_not_do(ada: Asker, feature: Feature) -> None:
    asked = [op for version in sdks.ends() for op in protocol.sent_by(version)]
    answer = ada.ask(next(op.text for op in asked if protocol.refused(op) is feature))
    assert answer.status == 400  # no SDK retries it, and `run.log` of a table survives it
    assert answer.body == {"errors": [{"message": feature.value, "extensions": {"code": "not_supported"}}]}


@pytest.mark.parametrize("field", sorted(fields.ELSEWHERE))
def test_what_wandb_workspaces_sends_is_refused_by_name(ada: Asker, field: str) -> None:
    name = field.removeprefix("Mutation.")
    answer = ada.ask(
        f"mutation M($id: ID!, $projects: [ProjectSpecifier!]!) {{ {name}(input: {{id: $id}}) {{ x }} }}"
    )
    assert (answer.status, answer.messages) == (400, [Feature.REPORTS])


def test_an_unknown_field_beside_the_table_keeps_the_words_that_sdks_match_on(ada: Asker) -> None:
    answer = ada.ask("{ serverInfo { fancy } }")
    assert (answer.status, answer.messages) == (400, ['Cannot query field "fancy" on type "ServerInfo".'])


def test_the_first_feature_of_the_list_is_told_where_several_are_asked_for() -> None:
    errors = document_of("{ project { runQueues { id } allViews } }")[1]
    assert fields.refusal_of(errors) is Feature.REPORTS


@OF_ALL
def test_the_page_is_up_to_date() -> None:
    """Write it anew: python -m wandb_api.tests.protocol."""
    assert protocol.PAGE.read_text() == protocol.page()
