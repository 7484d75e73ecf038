"""The answer to an SDK that logs an artifact, and what is stored of it; goes when artifacts come."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from graphql import GraphQLError

from access.actor import Actor
from common.errors import DomainError
from runs.files.refused_artifacts import TABLE, is_needless, record_refused_artifact
from runs.selectors import get_run
from wandb_api.unsupported.fields import Feature, unknown_field

_CREATE = "Mutation.createArtifact"


def refuse_artifact(actor: Actor, errors: Iterable[GraphQLError], variables: dict[str, Any]) -> str:
    """Return the message for whoever asks for artifacts; to log one it says that it was not stored.

    Its run's page says so too, for of the SDKs of these days few print the sentence (docs/develop/protocol.md).
    """
    if not any(unknown_field(error) == _CREATE for error in errors):
        return Feature.ARTIFACTS
    given = _given(variables)
    type_, name = given["artifactTypeName"], given["artifactCollectionName"]
    with suppress(DomainError):  # an artifact without a run, or of one that is out of reach
        run = get_run(actor, given["entityName"], given["projectName"], given["runName"])
        record_refused_artifact(actor=actor, run=run, type_=type_, name=name, digest=given["digest"])
    if not (type_ and name):
        return Feature.ARTIFACTS
    return f"{Feature.ARTIFACTS.removesuffix('.')}: {_consequence(type_, name)}."


def _given(variables: dict[str, Any]) -> dict[str, str]:
    """Return what the artifact is: SDKs of late put it into ``input``, and the oldest send a list of names."""
    inner = variables.get("input")
    found = inner if isinstance(inner, dict) else variables
    names = found.get("artifactCollectionNames")
    first = names[0] if isinstance(names, list) and names else ""
    texts = ("entityName", "projectName", "runName", "artifactTypeName", "artifactCollectionName", "digest")
    given = {text: found.get(text) for text in texts}
    given["artifactCollectionName"] = given["artifactCollectionName"] or first
    return {name: value if isinstance(value, str) else "" for name, value in given.items()}


def _consequence(type_: str, name: str) -> str:
    """Say what is lost, without the quotes that JSON escapes: SDKs print the body as it is."""
    if type_ == TABLE:
        return f"of the table “{name}” the file is stored, not the artifact"
    if is_needless(type_):
        return f"“{name}” is not needed here"
    return f"the {type_} “{name}” was not stored"
