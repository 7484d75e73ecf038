"""GraphQL's root fields about artifacts: `$id` is the version's or the collection's, `$name` its collection's."""

from tests.matrix.cases import Answer, Case, Over
from tests.matrix.permissions import SIGNED_IN

_BY_ID = "mutation($id: ID!) { found: %s(input: {%s: $id%s}) { %s } }"
_BY_NAME = (
    "mutation($entity: String!, $project: String!, $name: String!) { found: %s(input: {entityName: $entity,"
    ' projectName: $project, artifactCollectionName: $name, tags: [{tagName: "new"}]}) { %s } }'
)
_ALIASES = (
    "mutation($id: ID!, $entity: String!, $project: String!, $name: String!) { found: %s(input: {artifactID: $id,"
    ' aliases: [{entityName: $entity, projectName: $project, artifactCollectionName: $name, alias: "best"}]})'
    " { success } }"
)
_CREATE = (
    "mutation($entity: String!, $project: String!, $run: String!) { found: createArtifact(input: {entityName: $entity,"
    ' projectName: $project, runName: $run, artifactTypeName: "model", artifactCollectionName: "new",'
    ' digest: "0", digestAlgorithm: MANIFEST_MD5}) { artifact { id } } }'
)
_MANIFEST = (
    "mutation($id: ID!, $entity: String!, $project: String!) { found: createArtifactManifest(input: {artifactID: $id,"
    ' name: "m", digest: "", entityName: $entity, projectName: $project, runName: "r"})'
    " { artifactManifest { id } } }"
)
_UPDATE_MANIFEST = (
    "mutation($manifest: ID!) { found: updateArtifactManifest(input: {artifactManifestID: $manifest})"
    " { artifactManifest { id } } }"
)
_FILES = (
    "mutation($id: ID!) { found: createArtifactFiles(input: {storageLayout: V2, artifactFiles: [{artifactID: $id,"
    ' name: "a.txt", md5: "1B2M2Y8AsgTpgAmY7PhCfg=="}]}) { files { edges { node { uploadUrl } } } } }'
)
_PARTS = (
    "mutation($id: ID!, $upload: String!) { found: completeMultipartUploadArtifact(input: {artifactID: $id,"
    ' completeMultipartAction: Abort, completedParts: [], storagePath: "", uploadID: $upload}) { digest } }'
)
_USE = (
    "mutation($version: ID!, $entity: String!, $project: String!, $run: String!) { found: useArtifact(input:"
    " {artifactID: $version, entityName: $entity, projectName: $project, runName: $run}) { artifact { id } } }"
)
_LINK = (
    "mutation($id: ID!, $entity: String!, $project: String!) { found: linkArtifact(input: {artifactID: $id,"
    ' artifactPortfolioName: "a-portfolio", entityName: $entity, projectName: $project}) { versionIndex } }'
)


_UNLINK = (
    "mutation($id: ID!, $version: ID!) { found: unlinkArtifact(input: {artifactPortfolioID: $id, artifactID: $version})"
    " { success } }"
)


def _version(needs: str, document: str) -> list[Case]:
    return [Case(needs, Over.VERSION, document=document)]


def _aliases(needs: str, field: str) -> list[Case]:
    """Return the cases of a version where it was logged, and where a registry of the organization links it."""
    linked = (_ALIASES % field).replace("$id", "$version")
    return [*_version(needs, _ALIASES % field), Case(needs, Over.LINKED, document=linked)]


def _collection(needs: str, document: str) -> list[Case]:
    return [Case(needs, Over.COLLECTION, document=document)]


def _portfolio(needs: str, document: str) -> list[Case]:
    return [Case(needs, over, document=document) for over in (Over.PORTFOLIO, Over.LINKED)]


def _named(needs: str, document: str) -> list[Case]:
    return [Case(needs, over, document=document) for over in (Over.COLLECTION, Over.LINKED)]


def _draft(document: str) -> list[Case]:
    return [Case("artifacts: log", Over.DRAFT, document=document)]


_EDITED = "artifactCollection { id }"

ROUTES: dict[str, list[Case]] = {
    "Query.artifact": _version("artifacts: view", "query($id: ID!) { found: artifact(id: $id) { id } }"),
    "Query.artifactCollection": _named(
        "artifacts: view", "query($id: ID!) { found: artifactCollection(id: $id) { id } }"
    ),
    "Query.clientIDMapping": [
        Case(SIGNED_IN, document='{ found: clientIDMapping(clientID: "of-nobody") { serverID } }', answer=Answer.HIDDEN)
    ],
    "Mutation.createArtifact": [Case("runs: log", Over.RUN, document=_CREATE)],
    "Mutation.createArtifactManifest": _draft(_MANIFEST),
    "Mutation.updateArtifactManifest": _draft(_UPDATE_MANIFEST),
    "Mutation.createArtifactFiles": _draft(_FILES),
    "Mutation.completeMultipartUploadArtifact": _draft(_PARTS),
    "Mutation.commitArtifact": _version(
        "artifacts: create", _BY_ID % ("commitArtifact", "artifactID", "", "artifact { id }")
    ),
    "Mutation.useArtifact": [Case("runs: log", Over.RUN, document=_USE)],
    "Mutation.linkArtifact": _version("artifacts: link", _LINK),
    "Mutation.unlinkArtifact": _portfolio("artifacts: delete", _UNLINK),
    "Mutation.updateArtifact": _version(
        "artifacts: edit", _BY_ID % ("updateArtifact", "artifactID", ', description: "new"', "artifact { id }")
    ),
    "Mutation.deleteArtifact": _version(
        "artifacts: delete", _BY_ID % ("deleteArtifact", "artifactID", ", deleteAliases: true", "artifact { id }")
    ),
    "Mutation.addAliases": _aliases("artifacts: set aliases", "addAliases"),
    "Mutation.deleteAliases": _aliases("artifacts: delete aliases", "deleteAliases"),
    "Mutation.createArtifactType": [
        Case(
            "artifacts: create",
            Over.PROJECT,
            document="mutation($entity: String!, $project: String!) { found: createArtifactType(input: {entityName:"
            ' $entity, projectName: $project, name: "new"}) { artifactType { id } } }',
        )
    ],
    "Mutation.updateArtifactSequence": _collection(
        "artifacts: edit", _BY_ID % ("updateArtifactSequence", "artifactSequenceID", ', description: "new"', _EDITED)
    ),
    "Mutation.moveArtifactSequence": _collection(
        "artifacts: edit",
        _BY_ID % ("moveArtifactSequence", "artifactSequenceID", ', destinationArtifactTypeName: "new"', _EDITED),
    ),
    "Mutation.deleteArtifactSequence": _collection(
        "artifacts: delete", _BY_ID % ("deleteArtifactSequence", "artifactSequenceID", "", _EDITED)
    ),
    "Mutation.updateArtifactPortfolio": _portfolio(
        "artifacts: edit",
        _BY_ID % ("updateArtifactPortfolio", "artifactPortfolioID", ', description: "new"', _EDITED),
    ),
    "Mutation.deleteArtifactPortfolio": _portfolio(
        "artifacts: delete", _BY_ID % ("deleteArtifactPortfolio", "artifactPortfolioID", "", _EDITED)
    ),
    "Mutation.createArtifactCollectionTagAssignments": _named(
        "artifacts: edit", _BY_NAME % ("createArtifactCollectionTagAssignments", "tags { id }")
    ),
    "Mutation.deleteArtifactCollectionTagAssignments": _named(
        "artifacts: edit", _BY_NAME % ("deleteArtifactCollectionTagAssignments", "success")
    ),
}  # fmt: skip
