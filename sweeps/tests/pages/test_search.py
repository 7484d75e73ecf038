"""Ctrl-K finds sweeps, for those who see them (UI-1, RUN-50)."""

from typing import Any

import pytest

from access.actor import SYSTEM
from common.search import search
from runs.models import Project
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Sweep
from sweeps.pages.search import find_sweeps
from tests.factories import ProjectFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
CONFIG = "{method: random, parameters: {lr: {values: [1, 2]}}}"


def make_sweep(project: Project, name: str) -> Sweep:
    return create_sweep(actor=SYSTEM, project=project, config_text=CONFIG, display_name=name)[0]


def test_sweeps_are_found_by_words_of_their_name_their_project_and_their_id(django_assert_num_queries: Any):
    project = ProjectFactory(name="cifar")
    night, _day = make_sweep(project, "night of resnet"), make_sweep(project, "day")
    delete_sweep(actor=SYSTEM, sweep=make_sweep(project, "night"))
    member = actor(make_member(project.team))
    with django_assert_num_queries(1):
        (hit,) = find_sweeps(member, "cifar/night", 6)
    assert (hit.title, hit.detail) == ("night of resnet", f"{project.team.name} / cifar / Pending")
    assert hit.url == f"/{project.team.name}/cifar/sweeps/{night.uid}"
    assert [one.title for one in find_sweeps(member, night.uid, 6)] == ["night of resnet"]
    assert [one.title for one in find_sweeps(member, "cifar", 6)] == ["day", "night of resnet"]
    assert list(find_sweeps(member, " ", 6)) == []
    assert list(find_sweeps(actor(UserFactory()), "night", 6)) == []
    found = {str(kind.kind.label): [hit.title for hit in kind.hits] for kind in search(member, "resnet")}
    assert found["Sweeps"] == ["night of resnet"]
