"""Files that were announced and never arrived are named on the run's page."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from artifacts.tests.factories import make_draft
from runs.files import announced_files
from runs.files.refused_files import record_refused_file
from runs.files.services import receive_run_file, upload_paths
from runs.lifecycle.timeline import timeline_of
from runs.models import AnnouncedFile, Run
from runs.states import RunState
from storage.services import store_bytes
from tests.factories import RunFactory, actor, make_member

pytestmark = pytest.mark.django_db
HAS_NOT_ARRIVED = "has not arrived"


@pytest.fixture
def run() -> Run:
    made: Run = RunFactory()
    made.user, made.state = make_member(made.project.team), RunState.FINISHED
    made.save()
    return made


def announce(run: Run, *names: str) -> None:
    assert run.user is not None
    assert all(upload_paths(actor=actor(run.user), run=run, names=names))


def upload(run: Run, name: str) -> None:
    with transaction.atomic():
        receive_run_file({"r": run.pk, "n": name}, store_bytes(b"content", run.project.team_id))


def page_of(run: Run, client: Any) -> str:
    client.force_login(run.user)
    address = f"/{run.project.team.name}/{run.project.name}/runs/{run.uid}/files"
    return str(client.get(address).content.decode())


def test_what_was_announced_and_never_sent_is_named_until_it_arrives(run: Run, client: Any):
    announce(run, "config.yaml", "output.log")
    announce(run, "config.yaml")
    upload(run, "output.log")
    page = page_of(run, client)
    assert HAS_NOT_ARRIVED in page
    assert "<code>config.yaml</code>" in page
    assert "<code>output.log</code>" not in page
    assert [mark.label for mark in timeline_of(run).marks] == ["1 file has not arrived"]
    upload(run, "config.yaml")
    assert HAS_NOT_ARRIVED not in page_of(run, client)
    assert timeline_of(run).marks == []


def test_an_active_run_has_an_hour(run: Run, client: Any):
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    announce(run, "weights.bin")
    assert HAS_NOT_ARRIVED not in page_of(run, client)
    with time_machine.travel(timezone.now() + announced_files.STILL_COMING + timedelta(seconds=1)):
        assert HAS_NOT_ARRIVED in page_of(run, client)


def test_what_was_refused_is_named_with_its_reason_alone(run: Run, client: Any):
    announce(run, "weights.bin")
    record_refused_file({"r": run.pk, "n": "weights.bin"}, "acme stores 11 GB of 10 GB.")
    page = page_of(run, client)
    assert "acme stores 11 GB of 10 GB." in page
    assert HAS_NOT_ARRIVED not in page


def test_an_artifact_that_was_begun_is_named_once_the_run_has_ended(run: Run, client: Any):
    make_draft(run.project, "weights", {"a.bin": b"a"}, run=run)
    assert "<code>weights</code>" in page_of(run, client)
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING)
    assert "<code>weights</code>" not in page_of(run, client)


def test_announcements_are_limited(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(announced_files, "MOST", 3)
    announce(run, "1", "2")
    announce(run, "3", "4", "5")
    assert list(AnnouncedFile.objects.filter(run=run).values_list("name", flat=True)) == ["1", "2", "3"]
