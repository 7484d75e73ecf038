"""How sweeps are named where rights are explained (TEAM-25)."""

import pytest

from access.actor import SYSTEM
from access.resource_paths import path_of, resolve_path
from common.errors import NotFound
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.services import create_sweep
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
CONFIG = "{method: random, parameters: {lr: {values: [1, 2]}}}"


def test_a_sweep_is_named_by_its_path_and_by_its_page():
    project = ProjectFactory(team=TeamFactory(name="vision"), name="cifar")
    sweep, _warnings = create_sweep(actor=SYSTEM, project=project, config_text=CONFIG)
    member, path = actor(make_member(project.team)), f"vision/cifar/sweeps/{sweep.uid}"
    assert path_of(sweep) == path
    assert resolve_path(member, path) == sweep
    assert resolve_path(member, f"https://runyard.example.com/{path}/edit?x=1") == sweep
    with pytest.raises(NotFound):
        resolve_path(actor(UserFactory()), path)
    delete_sweep(actor=SYSTEM, sweep=sweep)
    with pytest.raises(NotFound):
        resolve_path(member, path)
