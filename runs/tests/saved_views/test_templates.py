"""Templates that the projects of a team offer each other (RUN-26)."""

import pytest

from access.actions import Preset
from common.errors import Forbidden, Invalid
from runs.saved_views import services
from runs.saved_views.selectors import templates_of
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def template(project, ann):
    view = services.create_view(actor=ann, project=project, name="ablations", spec={}, shared=True)
    return services.change_view(actor=ann, view=view, template=True)


def test_other_projects_of_the_team_offer_it(project, ann, template):
    sibling = ProjectFactory(team=project.team)
    assert list(templates_of(ann, sibling)) == [template]
    assert not templates_of(ann, project).exists()  # there it is among the shared views
    assert not templates_of(ann, ProjectFactory()).exists()
    services.change_view(actor=ann, view=template, template=False)
    assert not templates_of(ann, sibling).exists()


def test_one_of_a_project_that_somebody_cannot_see_is_not_offered(project, ann):
    hidden = ProjectFactory(team=project.team, visibility="restricted")
    owner = actor(make_member(project.team))
    hidden.members.create(
        user_id=owner.user_id, role=project.team.memberships.get(user_id=owner.user_id).role
    )
    view = services.create_view(actor=owner, project=hidden, name="secret", spec={}, shared=True)
    services.change_view(actor=owner, view=view, template=True)
    assert templates_of(owner, project).exists()
    assert not templates_of(ann, project).exists()


def test_only_a_shared_view_can_be_one_and_only_who_may_change_it_says_so(project, ann, template):
    own = services.create_view(actor=ann, project=project, name="mine", spec={})
    with pytest.raises(Invalid, match="Only a shared view"):
        services.change_view(actor=ann, view=own, template=True)
    viewer = actor(make_member(project.team, Preset.VIEW_ONLY))
    with pytest.raises(Forbidden):
        services.change_view(actor=viewer, view=template, template=False)


def test_programs_list_and_change_them(client, project, template):
    client.force_login(make_member(project.team))
    names = {"entity": project.team.name, "project": ProjectFactory(team=project.team).name}
    [found] = client.get("/api/v1/views/", names | {"templates": 1}).json()["results"]
    assert (found["name"], found["project"], found["template"]) == ("ablations", project.name, True)
    reply = client.patch(
        f"/api/v1/views/{template.pk}/", {"template": False}, content_type="application/json"
    )
    assert reply.json()["template"] is False
    assert client.get("/api/v1/views/", names | {"templates": 1}).json()["results"] == []
