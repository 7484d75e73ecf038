"""What the SDK can ask for and this server does not do: the fields, and the message instead of "cannot query".

A test walks every operation of every supported SDK: each is valid, or fails only by fields of this table. Whoever
brings a feature to the schema removes its fields here, or that test fails.
"""

import re
from collections.abc import Iterable
from enum import StrEnum

from graphql import GraphQLError


class Feature(StrEnum):
    """Something refused; the value is the whole message. Where a document asks for several, the first here is named."""

    SCHEDULER = "Schedulers of sweeps are not part of Runyard: the server chooses the arguments of runs."
    REPORTS = "Reports and saved views are not supported by this version of the Runyard server."
    LAUNCH = "Launch (jobs, queues and agents) is not part of Runyard."
    ANONYMOUS = "Anonymous logging is not part of Runyard: sign in and use an API key."
    LEGACY = "This call of old clients is not part of Runyard: use wandb.Api() instead."


_OF_WORKSPACES = """
    Mutation.deleteView Mutation.createAccessToken Mutation.updateAccessTokenProjects Mutation.revokeAccessToken
"""
"""What no SDK asks for, but wandb-workspaces, the package by which people write reports and saved views."""

_FIELDS = {
    Feature.SCHEDULER: "Mutation.enqueueSweepRun Sweep.controllerRunName",
    Feature.REPORTS: f"Query.view Project.allViews Mutation.upsertView {_OF_WORKSPACES}",
    Feature.LAUNCH: """
        Query.launchAgent Entity.defaultResourceConfig Project.runQueue Project.runQueues Run.runInfo Project.repo
        Project.dockerImage Mutation.ackRunQueueItem Mutation.createDefaultResourceConfig Mutation.createLaunchAgent
        Mutation.createRunQueue Mutation.deleteFromRunQueue Mutation.deleteRunQueues Mutation.failRunQueueItem
        Mutation.popFromRunQueue Mutation.pushToRunQueue Mutation.pushToRunQueueByName Mutation.updateLaunchAgent
        Mutation.updateRunQueueItemWarning Mutation.upsertRunQueue
    """,
    Feature.ANONYMOUS: "Mutation.createAnonymousEntity",
    Feature.LEGACY: "Project.buckets FileConnection.uploadHeaders",
}
ELSEWHERE = frozenset(_OF_WORKSPACES.split())
REFUSED = {field: feature for feature, fields in _FIELDS.items() for field in fields.split()}
"""``Type.field`` of the hosted service's schema → what it belongs to."""

_UNKNOWN = re.compile(
    r'Cannot query field ["\'](?P<field>\w+)["\'] on type ["\'](?P<type>\w+)["\']'
    r'|Expected value of type ["\'](?P<input>\w+)["\'] not to include unknown field ["\'](?P<key>\w+)["\']'
)


def unknown_field(error: GraphQLError) -> str | None:
    """Return ``Type.field`` if the error is that the schema has no such field."""
    found = _UNKNOWN.match(error.message)
    return f"{found['type'] or found['input']}.{found['field'] or found['key']}" if found else None


def refusal_of(errors: Iterable[GraphQLError]) -> Feature | None:
    """Return the refused feature that a document's validation errors name."""
    refused = {REFUSED.get(unknown_field(error) or "") for error in errors}
    return next((feature for feature in Feature if feature in refused), None)
