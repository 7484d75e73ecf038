"""What operators do to runs in the admin: the services do it, so that the ledger and the audit log stay right."""

import pytest
from django.test import Client
from django.urls import reverse

from access.models import AuditEntry
from runs.lifecycle import purge
from runs.models import Run
from tests.factories import RunFactory, UserFactory, add_run_file

pytestmark = pytest.mark.django_db

LIST = "admin:runs_run_changelist"


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def act(operator: Client, action: str, *runs: Run):
    chosen = {"action": action, "_selected_action": [run.pk for run in runs]}
    return operator.post(reverse(LIST), chosen, follow=True)


def test_operators_delete_and_restore_runs(operator: Client):
    run, other = RunFactory(), RunFactory()
    act(operator, "delete", run)
    assert list(Run.objects.live()) == [other]
    act(operator, "restore", run)
    assert set(Run.objects.live()) == {run, other}
    said = AuditEntry.objects.filter(object_id=str(run.pk), actor_name="boss").values_list(
        "action", flat=True
    )
    assert set(said) == {"run.delete", "run.restore"}


def test_a_purged_run_is_listed_and_says_why_it_cannot_be_restored(operator: Client, settings):
    settings.DELETED_KEPT_DAYS = 0
    run = RunFactory()
    Run.objects.filter(pk=run.pk).update(state="finished")
    act(operator, "delete", run)
    purge.purge_runs(60)
    assert run.display_name in operator.get(reverse(LIST)).content.decode()
    assert "can be restored for 0 days" in act(operator, "restore", run).content.decode()


@pytest.mark.parametrize("model", ["run", "runfile", "project"])
def test_rows_are_not_deleted_past_the_services(operator: Client, model: str):
    """The ledger would keep their bytes, and the disk their segments."""
    file = add_run_file(RunFactory(), "notes.txt")
    row = {"run": file.run, "runfile": file, "project": file.run.project}[model]
    assert (
        operator.post(reverse(f"admin:runs_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code
        == 403
    )
