"""Versions of saved views, changes not saved, and two people who change one view (RUN-21, RUN-26)."""

import pytest
from django.http import QueryDict

from common.errors import NotFound
from runs.models import ViewDraft
from runs.saved_views import services
from runs.saved_views.selectors import Shown, get_version, get_view, shared_default, shown_view, versions_of
from runs.saved_views.services import ViewMovedOn
from tests.factories import ProjectFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def ben(project):
    return actor(make_member(project.team))


@pytest.fixture
def view(project, ann):
    return services.create_view(actor=ann, project=project, name="ours", spec=spec_of(1), shared=True)


def spec_of(number):
    return {"panels": {"columns": number}}


def shown(who, view) -> Shown:
    return shown_view(who, view.project, QueryDict(f"view={view.pk}"))


def test_two_people_who_save_one_view_lose_neither_change(ann, ben, view):
    """RUN-26: the second hears who was first; what the second replaces all the same is kept."""
    services.change_view(actor=ann, view=view, spec=spec_of(2), base=1)
    with pytest.raises(ViewMovedOn) as refused:
        services.change_view(actor=ben, view=view, spec=spec_of(3), base=1)
    ours = get_view(ben, view.pk)
    assert refused.value.detail == {
        "version": 2, "saved_by": str(ours.saved_by), "saved_at": ours.saved_at.isoformat(),
    }  # fmt: skip
    services.change_view(actor=ben, view=view, spec=spec_of(3), base=2)
    versions = versions_of(get_view(ann, view.pk))
    assert [(one.number, one.spec, one.saved_by_id) for one in versions] == [
        (3, spec_of(3), ben.user_id),
        (2, spec_of(2), ann.user_id),
        (1, spec_of(1), ann.user_id),
    ]


def test_the_oldest_versions_go(ann, view, monkeypatch):
    monkeypatch.setattr(services, "MAX_VERSIONS", 3)
    for number in range(2, 6):
        services.change_view(actor=ann, view=view, spec=spec_of(number))
    view = get_view(ann, view.pk)
    assert [one.number for one in versions_of(view)] == [5, 4, 3]
    with pytest.raises(NotFound):
        get_version(view, 2)


def test_saving_the_same_or_a_name_makes_no_version(ann, view):
    services.change_view(actor=ann, view=view, spec=spec_of(1), name="renamed")
    assert [one.number for one in versions_of(get_view(ann, view.pk))] == [1]


def test_what_somebody_changes_of_a_view_is_theirs_until_it_is_saved(ann, ben, view):
    """RUN-26: nobody else sees it, and the view stays as it is."""
    assert not shown(ann, view).is_edited
    services.merge_draft(actor=ann, view=view, parts={"selector": {"hidden": ["x"]}}, base=1)
    changed = shown(ann, view)
    assert (changed.spec, changed.is_edited, changed.is_behind) == (
        {**spec_of(1), "selector": {"hidden": ["x"]}}, True, False,
    )  # fmt: skip
    assert shown(ben, view).spec == spec_of(1)
    services.discard_draft(actor=ann, view=view)
    assert not shown(ann, view).is_edited


def test_changes_begin_from_the_version_on_show(ann, ben, view):
    """RUN-26: who changes an older version of a page left open keeps what they saw, and hears of the newer one."""
    services.change_view(actor=ben, view=view, spec=spec_of(2))
    services.merge_draft(actor=ann, view=view, parts={"selector": {}}, base=1)
    changed = shown(ann, get_view(ann, view.pk))
    assert (changed.spec, changed.version, changed.is_behind) == ({**spec_of(1), "selector": {}}, 1, True)


def test_changes_taken_back_are_none(ann, view):
    services.merge_draft(actor=ann, view=view, parts={"panels": {"columns": 9}}, base=1)
    services.merge_draft(actor=ann, view=view, parts=spec_of(1), base=1)
    assert not shown(ann, view).is_edited


def test_a_deleted_view_shows_the_working_state_and_says_so(project, ann, view):
    services.merge_working_view(actor=ann, project=project, parts=spec_of(7))
    services.merge_draft(actor=ann, view=view, parts=spec_of(8))
    services.delete_view(actor=ann, view=get_view(ann, view.pk))
    missing = shown_view(ann, project, QueryDict(f"view={view.pk}"))
    assert (missing.is_missing, missing.view, missing.spec) == (True, None, spec_of(7))
    assert not ViewDraft.objects.exists()


def test_a_page_may_be_opened_without_any_view(project, ann, view):
    """Neither the shared default nor the working state is shown, so that a broken one locks no one out."""
    services.merge_working_view(actor=ann, project=project, parts=spec_of(7), shared=True)
    services.merge_working_view(actor=ann, project=project, parts=spec_of(8))
    assert shown_view(ann, project, QueryDict("view=none")) == Shown({}, is_bare=True, default=1)


def test_views_of_others_and_of_other_projects_are_missing(ann, ben, view):
    own = services.create_view(actor=ben, project=view.project, name="mine", spec={})
    assert shown(ann, own).is_missing
    assert shown_view(ann, ProjectFactory(team=view.project.team), QueryDict(f"view={view.pk}")).is_missing


def test_the_shared_default_is_not_replaced_unseen(project, ann, ben):
    """RUN-26: the shared default has versions, too."""
    services.merge_working_view(actor=ann, project=project, parts=spec_of(1), shared=True, base=0)
    services.merge_working_view(actor=ann, project=project, parts=spec_of(2), shared=True, base=1)
    with pytest.raises(ViewMovedOn):
        services.merge_working_view(actor=ben, project=project, parts=spec_of(3), shared=True, base=1)
    default = shared_default(project)
    assert default is not None
    assert [one.number for one in versions_of(default)] == [2, 1]


def test_rest_tells_of_versions_conflicts_and_changes(client, project, view):
    """RUN-26: the same by REST."""
    member = make_member(project.team)
    client.force_login(member)
    place = f"/api/v1/views/{view.pk}"
    saved = client.patch(f"{place}/", {"spec": spec_of(2), "base": 1}, "application/json").json()
    assert (saved["version"], saved["saved_by"]) == (2, member.username)
    refused = client.patch(f"{place}/", {"spec": spec_of(3), "base": 1}, "application/json")
    assert (refused.status_code, refused.json()["error"]["detail"]["version"]) == (409, 2)
    assert [one["number"] for one in client.get(f"{place}/versions/").json()] == [2, 1]
    assert client.get(f"{place}/versions/1/").json()["spec"] == spec_of(1)
    assert client.get(f"{place}/versions/9/").status_code == 404
    working = f"/api/v1/views/working/?entity={project.team.name}&project={project.name}&view="
    kept = client.patch(f"{working}{view.pk}&base=2", spec_of(4), "application/json").json()
    assert kept == {"spec": spec_of(4), "version": 2, "edited": True}
    assert client.delete(f"{place}/draft/").status_code == 204
    assert client.get(f"{working}{view.pk}").json()["edited"] is False
    assert client.get(f"{working}999999").status_code == 404
