"""A project whose saved views are tested, and somebody of its team."""

import pytest

from tests.factories import ProjectFactory, actor, make_member


@pytest.fixture
def project():
    return ProjectFactory()


@pytest.fixture
def ann(project):
    return actor(make_member(project.team))
