"""GraphQL's root fields about registries: `$registry`, `$user` (with a role there) and `$team` are global ids."""

from tests.matrix.cases import Answer, Case, Over

_UPSERT = (
    "mutation($entity: String!) { found: upsertModel(input: {entityName: $entity,"
    ' name: "wandb-registry-%s", description: "new"}) { project { id } } }'
)
_RENAME = (
    "mutation($entity: String!) { found: renameProject(input: {entityName: $entity,"
    ' oldProjectName: "wandb-registry-model", newProjectName: "wandb-registry-new"}) { project { id } } }'
)
_DELETE = "mutation($registry: String!) { found: deleteModel(input: {id: $registry}) { success } }"
_MEMBERS = (
    "mutation($registry: ID!, $user: ID!) { found: %s(input: {projectId: $registry, userIds: [$user]})"
    " { success } }"
)
_ROLE = (
    "mutation($registry: ID!, $user: ID!) { found: updateProjectMember(input: {projectId: $registry, userId: $user,"
    ' userProjectRole: "member"}) { success } }'
)
_ROLE_OF_TEAM = (
    "mutation($registry: ID!, $team: ID!) { found: updateProjectTeamMember(input: {projectId: $registry,"
    ' teamId: $team, teamProjectRole: "member"}) { success } }'
)


def _registry(needs: str, document: str, allowed: Answer = Answer.OK) -> list[Case]:
    return [Case(needs, Over.REGISTRY, document=document, answer_to_allowed=allowed)]


UPSERTS = [
    Case("organization: registries", Over.ORGANIZATION, document=_UPSERT % "brand-new"),
    Case("registries of organizations: edit", Over.ORGANIZATION, document=_UPSERT % "model"),
]
"""Of ``upsertModel``, which makes projects, too."""
ROUTES: dict[str, list[Case]] = {
    "Mutation.renameProject": [
        Case("registries of organizations: edit", Over.ORGANIZATION, document=_RENAME)
    ],
    "Mutation.deleteModel": _registry("registries: delete", _DELETE),
    "Mutation.createProjectMembers": _registry("registries: members", _MEMBERS % "createProjectMembers"),
    "Mutation.deleteProjectMembers": _registry("registries: members", _MEMBERS % "deleteProjectMembers"),
    "Mutation.updateProjectMember": _registry("registries: members", _ROLE),
    # a team's own registry has no teams as members
    "Mutation.updateProjectTeamMember": _registry("registries: members", _ROLE_OF_TEAM, Answer.HIDDEN),
}
