"""Code that runs logged as artifacts is on their Code tab, for those who may download it."""

import pytest
from django.test import Client
from django.urls import reverse

from access.actions import Preset
from artifacts.tests.factories import make_version
from runs.models import Project, Run
from tests.factories import ProjectFactory, RunFactory, TeamFactory, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def run(project: Project) -> Run:
    run = RunFactory(project=project)
    make_version(
        project, "source-train", type_name="code", files={"train.py": b"print('logged code')\n"}, run=run
    )
    return run


def code_tab(client: Client, run: Run) -> str:
    address = reverse("runs:run_code", args=[run.project.team.name, run.project.name, run.uid])
    return client.get(address).content.decode()


def test_logged_code_is_shown(client: Client, run: Run):
    client.force_login(make_member(run.project.team))
    page = code_tab(client, run)
    assert "print(&#x27;logged code&#x27;)" in page
    assert "source-train:v0" in page


def test_who_may_not_download_sees_no_code(client: Client, run: Run):
    client.force_login(make_member(run.project.team, Preset.VIEW_ONLY))
    assert "logged code" not in code_tab(client, run)
