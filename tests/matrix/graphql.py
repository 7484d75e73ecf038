"""GraphQL: root field to how it is used.

Documents name things by `$entity`, `$project`, `$run` and `$sweep`, or by global ids: `$id`, `$file` (one of the
run's), `$agent` (the sweep's), `$automation` (the project's), `$member` (one of the team's who is no admin) and
`$invitation` (a pending one to the team).
"""

from tests.matrix import graphql_artifacts, graphql_registries
from tests.matrix.cases import Case, Over
from tests.matrix.permissions import ELEVATED, SIGNED_IN

_PROJECT = (
    "query($entity: String!, $project: String!) { found: %s(name: $project, entityName: $entity) { id } }"
)
_RUN_OF = (
    "query($entity: String!, $project: String!, $run: String!)"
    " { found: project(name: $project, entityName: $entity) { run: %s { id } } }"
)
_UPSERT = (
    "mutation($entity: String!, $project: String!, $run: String!) { found: upsertBucket(input:"
    " {entityName: $entity, modelName: $project, name: $run}) { bucket { id } } }"
)
_FILES = (
    "mutation($entity: String!, $project: String!, $run: String!) { found: %s(input:"
    ' {entityName: $entity, projectName: $project, runName: $run, files: ["notes.txt"]}) { %s } }'
)
_SWEEP_OF = (
    "query($entity: String!, $project: String!, $sweep: String!)"
    " { found: project(name: $project, entityName: $entity) { sweep(sweepName: $sweep) { id } } }"
)
_NEW_SWEEP = (
    "mutation($entity: String!, $project: String!, $config: String!) { found: upsertSweep(input:"
    " {entityName: $entity, projectName: $project, config: $config}) { sweep { id } } }"
)
_NEW_AGENT = (
    "mutation($entity: String!, $project: String!, $sweep: String!) { found: createAgent(input:"
    ' {entityName: $entity, projectName: $project, sweep: $sweep, host: "h"}) { agent { id } } }'
)
_BY_ID = "mutation($id: %s!) { found: %s(input: {id: $id%s}) { %s } }"


_RUN_NAMED = (
    "mutation($entity: String!, $project: String!, $run: String!) { found: %s(input:"
    " {entityName: $entity, projectName: $project, runName: $run, %s}) { %s } }"
)
_MODEL = (
    "mutation($entity: String!, $project: String!) { found: upsertModel(input:"
    " {entityName: $entity, name: $project%s}) { project { id } } }"
)
_OF_TEAM = "mutation(%s) { found: %s(input: {%s}) { %s } }"


def _run(needs: str, document: str, *, found_at: str = "found", is_made_on_use: bool = False) -> Case:
    return Case(needs, Over.RUN, document=document, found_at=found_at, is_made_on_use=is_made_on_use)


def _sweep(needs: str, document: str, *, found_at: str = "found") -> Case:
    return Case(needs, Over.SWEEP, document=document, found_at=found_at)


ROUTES: dict[str, list[Case]] = {
    **graphql_artifacts.ROUTES,
    **graphql_registries.ROUTES,
    "Query.viewer": [Case(SIGNED_IN, document="{ found: viewer { id } }")],
    "Query.serverInfo": [Case(SIGNED_IN, document="{ found: serverInfo { features { name } } }")],
    "Query.entity": [
        Case(
            "entity: view",
            Over.ENTITY,
            document="query($entity: String!) { found: entity(name: $entity) { id } }",
        )
    ],
    "Query.project": [
        Case("projects: view", Over.PROJECT, document=_PROJECT % "project"),
        _run("runs: view", _RUN_OF % "run(name: $run)", found_at="found.run"),
        _run("runs: view", _RUN_OF % "bucket(name: $run, missingOk: true)", found_at="found.run"),
        _sweep("sweeps: view", _SWEEP_OF, found_at="found.sweep"),
    ],
    "Mutation.upsertSweep": [
        Case(
            "sweeps: create",
            Over.PROJECT,
            document=_NEW_SWEEP,
            args={"config": "{method: random, parameters: {x: {min: 0.5, max: 1.5}}}"},
            is_made_on_use=True,
        ),
        _sweep("sweeps: edit", _BY_ID % ("ID", "upsertSweep", ', displayName: "new"', "sweep { id }")),
        _sweep("sweeps: stop", _BY_ID % ("ID", "upsertSweep", ', state: "PAUSED"', "sweep { id }")),
    ],
    "Mutation.createAgent": [_sweep("sweeps: run an agent", _NEW_AGENT)],
    "Mutation.agentHeartbeat": [
        _sweep(
            "sweeps: run an agent",
            "mutation($agent: ID!) { found: agentHeartbeat(input: {id: $agent}) { commands } }",
        )
    ],
    "Query.model": [Case("projects: view", Over.PROJECT, document=_PROJECT % "model")],
    "Query.models": [
        Case(
            "projects: view",
            Over.PROJECT,
            document="query($entity: String!) { found: models(entityName: $entity) { edges { node { id } } } }",
            listed=True,
        )
    ],
    "Query.users": [Case(SIGNED_IN, document='{ found: users(query: "e") { edges { node { id } } } }')],
    "Query.organization": [
        Case(
            "organization: know of",
            Over.ORGANIZATION,
            document="query($entity: String!) { found: organization(name: $entity) { id } }",
        )
    ],
    "Mutation.updateUser": [
        Case(SIGNED_IN, document="mutation { found: updateUser(input: {}) { user { id } } }"),
    ],
    "Mutation.createUser": [
        Case(
            ELEVATED,
            document='mutation { found: createUser(input: {email: "new@example.com"}) { user { id } } }',
        )
    ],
    "Mutation.generateApiKey": [
        Case("keys: make own", document="mutation { found: generateApiKey(input: {}) { apiKey { id } } }")
    ],
    "Mutation.deleteApiKey": [
        Case("keys: delete own", Over.KEY, document=_BY_ID % ("String", "deleteApiKey", "", "success"))
    ],
    "Mutation.createTeam": [
        Case(
            "team: create in one's organization, or a new one",
            document='mutation { found: createTeam(input: {teamName: "brand-new"}) { entity { id } } }',
        )
    ],
    "Mutation.createServiceAccount": [
        Case(
            "team: service accounts",
            Over.ENTITY,
            document=_OF_TEAM
            % (
                "$entity: String!",
                "createServiceAccount",
                'entityName: $entity, description: "new"',
                "user { id }",
            ),
            without=frozenset({"personal"}),
        )
    ],
    "Mutation.deleteInvite": [
        Case(
            "team: add / remove members",
            Over.ENTITY,
            document=_OF_TEAM
            % (
                "$entity: String!, $member: String!",
                "deleteInvite",
                "entityName: $entity, id: $member",
                "success",
            ),
            without=frozenset({"personal"}),
        ),
        Case(
            "team: revoke invitation",
            Over.ENTITY,
            document=_OF_TEAM
            % (
                "$entity: String!, $invitation: String!",
                "deleteInvite",
                "entityName: $entity, id: $invitation",
                "success",
            ),
            without=frozenset({"personal"}),
        ),
    ],
    "Mutation.createInvite": [
        Case(
            "team: invite",
            Over.ENTITY,
            document=_OF_TEAM
            % ("$entity: String!", "createInvite", f"entityName: $entity, {who}", "invite { id }"),
            without=frozenset({"personal"}),
        )
        for who in ('email: "new@example.com"', 'username: "stranger"')
    ],
    "Mutation.createCustomChart": [
        Case(
            "charts: save new",
            Over.ENTITY,
            document=_OF_TEAM
            % (
                "$entity: String!",
                "createCustomChart",
                'entity: $entity, name: "new", displayName: "", type: "vega2", access: "PRIVATE", spec: "{}"',
                "chart { id }",
            ),
        )
    ],
    "Mutation.upsertModel": [
        *graphql_registries.UPSERTS,
        Case("projects: create", Over.ENTITY, document=_MODEL % "", args={"project": "a-new-project"}),
        # who may create projects is told that the name of a hidden one is taken
        Case(
            "projects: edit overview",
            Over.PROJECT,
            document=_MODEL % ', description: "new"',
            without=frozenset({"restricted"}),
        ),
        # an Open project stays as it is; of a Restricted one see test_admins_open_a_restricted_project
        Case(
            "projects: change visibility",
            Over.PROJECT,
            document=_MODEL % ', access: "USER_WRITE"',
            without=frozenset({"open", "restricted"}),
        ),
    ],
    "Mutation.updateRunState": [
        _run("runs: update", _BY_ID % ("ID", "updateRunState", ', state: "failed"', "success"))
    ],
    "Mutation.rewindRun": [
        _run(
            "runs: log",
            _RUN_NAMED % ("rewindRun", 'metricName: "_step", metricValue: 0', "rewoundRun { id }"),
        )
    ],
    "Mutation.notifyScriptableRunAlert": [
        _run("runs: alert", _RUN_NAMED % ("notifyScriptableRunAlert", 'title: "t", text: "t"', "success"))
    ],
    "Mutation.deleteFiles": [
        _run(
            "runs: delete files",
            "mutation($file: ID!) { found: deleteFiles(input: {files: [$file]}) { success } }",
        )
    ],
    "Mutation.upsertBucket": [
        Case(
            "projects: create",
            Over.ENTITY,
            document=_UPSERT,
            args={"project": "a-new-project", "run": "a-new-run"},
        ),
        Case("runs: log new", Over.PROJECT, document=_UPSERT, args={"run": "a-new-run"}, is_made_on_use=True),
        _run("runs: log", _UPSERT, is_made_on_use=True),
        _run("runs: update", _BY_ID % ("String", "upsertBucket", ', notes: "x"', "bucket { id }")),
    ],
    "Mutation.createRunFiles": [_run("runs: log", _FILES % ("createRunFiles", "runID"))],
    "Mutation.markRunFilesUploaded": [_run("runs: log", _FILES % ("markRunFilesUploaded", "success"))],
    "Mutation.stopRun": [_run("runs: stop", _BY_ID % ("ID", "stopRun", "", "success"))],
    "Mutation.deleteRun": [_run("runs: delete", _BY_ID % ("ID", "deleteRun", "", "clientMutationId"))],
    "Mutation.createFilterTrigger": [
        Case(
            "automations: create",
            Over.PROJECT,
            document='mutation($id: ID!) { found: createFilterTrigger(input: {name: "new", enabled: true,'
            " scopeType: PROJECT, scopeID: $id, triggeringEventType: RUN_STATE, triggeredActionType: NO_OP,"
            ' eventFilter: "{\\"run_state_filter\\": {\\"states\\": [\\"FAILED\\"]}}",'
            " triggeredActionConfig: {}}) { trigger { id } } }",
        )
    ],
    "Mutation.updateFilterTrigger": [
        Case(
            "automations: manage",
            Over.PROJECT,
            document="mutation($automation: ID!) { found: updateFilterTrigger(input: {id: $automation,"
            " enabled: false}) { trigger { id } } }",
        )
    ],
    "Mutation.deleteTrigger": [
        Case(
            "automations: manage",
            Over.PROJECT,
            document="mutation($automation: ID!) { found: deleteTrigger(input: {triggerID: $automation})"
            " { success } }",
        )
    ],
    "Mutation.createGenericWebhookIntegration": [
        Case(
            "team: alerts",
            Over.ENTITY,
            document=_OF_TEAM
            % (
                "$entity: String!",
                "createGenericWebhookIntegration",
                'entityName: $entity, name: "new", urlEndpoint: "https://hooks.example.com/"',
                "integration { __typename }",
            ),
        )
    ],
}
