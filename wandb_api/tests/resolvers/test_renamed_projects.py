"""What the SDK asks for by a name that a project had before."""

from runs.projects.services import rename_project
from teams.models import Team, Visibility
from tests.factories import ProjectFactory, RunFactory, actor
from wandb_api.tests.asking import Asker
from wandb_api.tests.resolvers.test_upsert_bucket import upsert

ASKED = """query Q($entity: String!, $project: String!) {
    project(name: $project, entityName: $entity) { name bucket(name: "r1") { name } } }"""
MADE = "mutation M($input: UpsertModelInput!) { upsertModel(input: $input) { inserted project { name } } }"
FILES = """mutation F($input: CreateRunFilesInput!) { createRunFiles(input: $input) { files { name } } }"""


def test_a_former_name_leads_to_the_project(ada: Asker) -> None:
    team = Team.objects.get(name="ada")
    project = ProjectFactory(team=team, name="digits")
    RunFactory(project=project, uid="r1", user=ada.user)
    rename_project(actor=actor(ada.user), project=project, name="numerals")
    asked = ada.ask(ASKED, entity="ada", project="digits").data["project"]
    assert asked == {"name": "numerals", "bucket": {"name": "r1"}}
    assert upsert(ada, name="r2", modelName="digits")["bucket"]["project"]["name"] == "numerals"
    made = ada.ask(MADE, input={"name": "digits", "entityName": "ada"}).data["upsertModel"]
    assert made == {"inserted": False, "project": {"name": "numerals"}}
    given = {"entityName": "ada", "projectName": "digits", "runName": "r1", "files": ["a.txt"]}
    assert ada.ask(FILES, input=given).data["createRunFiles"]["files"] == [{"name": "a.txt"}]


def test_a_project_made_without_access_is_seen_as_the_entity_chose(ada: Asker) -> None:
    Team.objects.filter(name="ada").update(project_visibility=Visibility.PUBLIC)
    ada.ask(MADE, input={"name": "digits", "entityName": "ada"})
    assert Team.objects.get(name="ada").projects.get().visibility == "public"
