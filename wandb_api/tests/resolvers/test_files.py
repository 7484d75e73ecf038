"""Files of runs by GraphQL."""

import pytest

from access.actions import Preset
from access.models import AuditEntry
from runs.models import RunFile
from storage.services import stored_bytes
from tests.factories import ProjectFactory, RunFactory, add_run_file, make_member
from wandb_api.graphql.global_ids import to_id
from wandb_api.tests.asking import Asker

pytestmark = pytest.mark.django_db

DELETE = "mutation D($files: [ID!]!) { deleteFiles(input: {files: $files}) { success } }"


def test_files_of_several_runs_are_deleted_in_the_order_of_the_runs():
    """Each run is locked in turn; in the order of the names, two such requests waited for each other."""
    project = ProjectFactory()
    runs = [RunFactory(project=project) for _ in range(3)]
    files = [add_run_file(run, name) for run, name in zip(runs, ["c", "b", "a"], strict=True)]
    admin = Asker(make_member(project.team, Preset.ADMIN))
    asked = admin.ask(DELETE, files=[to_id("RunFile", file.pk) for file in reversed(files)])
    assert asked.data["deleteFiles"]["success"] is True
    assert not RunFile.objects.exists()
    assert stored_bytes(team_id=project.team_id) == 0
    entries = AuditEntry.objects.filter(action="run.delete_files").order_by("pk")
    assert [entry.object_id for entry in entries] == [str(run.pk) for run in runs]
