"""ALR-6: automations act on what happens to artifacts, in a collection, a project and all projects of a team."""

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse

from access.actor import SYSTEM
from accounts.models import OutboxMail
from alerts.models import Event
from alerts.tests.peers import told
from artifacts.collections.services import CollectionChanges, update_collection
from artifacts.models import Collection
from artifacts.participants import ArtifactEvent
from artifacts.tests.factories import make_version, place_of
from artifacts.versions.aliases import add_aliases
from artifacts.versions.links import link_version, unlink_version
from artifacts.versions.services import Changes, update_version
from automations.firing.matching import matching
from automations.firing.notices import notice_for
from automations.models import Automation
from automations.services import copy_automation
from common.errors import Invalid
from runs.models import Project
from runs.projects.services import rename_project
from teams.models import Visibility
from tests.automations import make_automation, states
from tests.factories import ProjectFactory, TeamFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory(team=TeamFactory(name="vision"), name="cifar")


def waiting(project: Project, event: str, filter: Any = None, **more: Any) -> Automation:  # noqa: A002 - as everywhere
    return make_automation(project, event, filter or {}, once_in_s=0, **more)


def matched() -> list[tuple[str, Automation]]:
    """Return what automations act on, as the worker finds it."""
    with transaction.atomic():
        pairs = matching(list(Event.objects.select_related("project__team", "team", "run").order_by("pk")))
    return [(event.data["event"], automation) for event, automation in pairs]


def everything_happens(project: Project, by: Any = SYSTEM) -> None:
    """Let each of the eight events happen, the creation and the alias ``latest`` with it."""
    version = make_version(project, "resnet", by=by)
    place = place_of(version)
    add_aliases(actor=by, membership=place, names=["prod"])
    update_version(actor=by, version=version, changes=Changes(tags_to_add=["good"]))
    update_version(actor=by, version=version, changes=Changes(tags_to_remove=["good"]))
    collection = version.collection
    update_collection(actor=by, collection=collection, changes=CollectionChanges(tags_to_add=["vision"]))
    update_collection(actor=by, collection=collection, changes=CollectionChanges(tags_to_remove=["vision"]))
    link = link_version(actor=by, version=version, project=project, name="released")
    unlink_version(actor=by, version=version, collection=link.collection)


@pytest.mark.parametrize("event", list(ArtifactEvent))
def test_each_event_is_acted_on_once(project: Project, event: str) -> None:
    automation = waiting(project, event)
    everything_happens(project)
    times = (
        3 if event == ArtifactEvent.ADD_ARTIFACT_ALIAS else 1
    )  # `latest` of the version and of the link, too
    assert matched() == [(event, automation)] * times


def test_what_nobody_waits_for_is_not_written(project: Project) -> None:
    waiting(project, "LINK_MODEL", is_on=False)
    waiting(ProjectFactory(), "CREATE_ARTIFACT")
    everything_happens(project)
    assert not Event.objects.exists()


def test_what_is_undone_is_told_to_nobody(project: Project) -> None:
    waiting(project, "CREATE_ARTIFACT")

    def fail() -> None:
        with transaction.atomic():
            make_version(project)
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - our own
        fail()
    assert not Event.objects.exists()


def test_automations_of_the_collection_its_project_and_the_team_act_and_others_do_not(
    project: Project,
) -> None:
    first, other = make_version(project, "resnet").collection, make_version(project, "other").collection
    own = waiting(project, "CREATE_ARTIFACT", collection=first, name="own")
    waiting(project, "CREATE_ARTIFACT", collection=other, name="other's")
    whole = waiting(project, "CREATE_ARTIFACT", name="project's")
    team = waiting(project, "CREATE_ARTIFACT", is_of_team=True, name="team's")
    waiting(ProjectFactory(team=project.team), "CREATE_ARTIFACT", name="neighbour's")
    make_version(project, "resnet", {"b": b"b"})
    assert {row for _, row in matched()} == {own, whole, team}


@pytest.mark.parametrize("event", ["ADD_ARTIFACT_TAG", "REMOVE_ARTIFACT_TAG"])
def test_a_tag_of_a_version_is_told_wherever_it_is_linked_and_to_each_once(
    project: Project, event: str
) -> None:
    """ALR-6: whoever watches a collection hears of its versions, logged or linked."""
    neighbour, stranger = ProjectFactory(team=project.team), ProjectFactory()
    version = make_version(project, "resnet")
    links = [
        link_version(actor=SYSTEM, version=version, project=where, name="released").collection
        for where in (neighbour, stranger)
    ]
    links.append(link_version(actor=SYSTEM, version=version, project=project, name="best").collection)
    gone = link_version(actor=SYSTEM, version=version, project=project, name="gone").collection
    expected = [
        waiting(each.project, event, collection=each, name=f"collection {each.pk}")
        for each in (version.collection, *links)
    ]
    expected += [waiting(each, event, name=f"project {each.pk}") for each in (project, neighbour, stranger)]
    expected += [waiting(each, event, is_of_team=True, name="team's") for each in (project, stranger)]
    waiting(project, event, collection=gone, name="unlinked")
    unlink_version(actor=SYSTEM, version=version, collection=gone)
    for changes in (Changes(tags_to_add=["good"]), Changes(tags_to_remove=["good"])):
        update_version(actor=SYSTEM, version=version, changes=changes)
    assert sorted(automation.pk for _, automation in matched()) == sorted(row.pk for row in expected)
    strange = Event.objects.get(project=stranger)
    assert strange.data["artifact_version_string"] == f"{stranger.team.name}/{stranger.name}/released:v0"


def test_the_alias_and_the_tag_are_compared(project: Project) -> None:
    automation = waiting(project, "ADD_ARTIFACT_ALIAS", {"alias": {"$regex": "^prod"}})
    tagged = waiting(project, "ADD_ARTIFACT_TAG", {"tag": "good"})
    make_version(project, aliases=["prod-1"], tags=["good", "bad"])
    assert matched() == [("ADD_ARTIFACT_ALIAS", automation), ("ADD_ARTIFACT_TAG", tagged)]


def test_messages_name_what_happened(project: Project) -> None:
    mia = make_member(project.team, username="mia")
    automation = waiting(
        project, "ADD_ARTIFACT_ALIAS", {"alias": "prod"},
        title="${artifact_collection_name} is ${alias} by ${event_author}",
        message="${artifact_version_string}: ${artifact_metadata.loss}${artifact_metadata.missing} ${tag}",
    )  # fmt: skip
    metadata = {"loss": 0.5, "huge": "x" * 20_000, "bad": float("nan"), "nul": "\0"}
    version = make_version(project, "res net", by=actor(mia), aliases=["prod"], metadata=metadata)
    event = Event.objects.select_related("project__team", "team", "run").filter(data__alias="prod").get()
    notice = notice_for(automation, event)
    assert (notice.title, notice.text) == ("res net is prod by mia", "vision/cifar/res net:v0: 0.5 ")
    assert notice.url.endswith("/vision/cifar/artifacts/model/res%20net/v0")
    assert ("Artifact", "res net:v0") in notice.fields
    assert notice.variables["artifact_version"].startswith("wandb-artifact://_id/")
    assert "artifact_metadata.huge" not in notice.variables
    assert event.data["version"] == version.pk


def test_without_words_of_its_own_it_says_what_happened(project: Project) -> None:
    automation = waiting(project, "ADD_COLLECTION_TAG", name="Tags")
    collection = make_version(project, "resnet").collection
    update_collection(actor=SYSTEM, collection=collection, changes=CollectionChanges(tags_to_add=["gold"]))
    event = Event.objects.select_related("project__team", "team", "run").get()
    notice = notice_for(automation, event)
    assert (notice.title, notice.text) == ("Tags", "The collection resnet got the tag “gold”.")
    assert notice.url.endswith("/vision/cifar/artifacts/model/resnet")


def test_members_who_see_the_artifact_and_who_changed_it_are_mailed(project: Project) -> None:
    mia, bob = (make_member(project.team, username=name) for name in ("mia", "bob"))
    waiting(project, "CREATE_ARTIFACT", action="EMAIL", mail_to=[bob], mail_author=True, name="New")
    make_version(project, "resnet", by=actor(mia))
    OutboxMail.objects.all().delete()
    told()
    mails = {mail.to: mail for mail in OutboxMail.objects.all()}
    assert mails.keys() == {mia.email, bob.email}
    assert "resnet:v0 was created." in mails[bob.email].text
    assert "/vision/cifar/artifacts/model/resnet/v0" in mails[bob.email].text


def test_nobody_is_mailed_of_a_restricted_project_they_do_not_see(project: Project) -> None:
    bob = make_member(project.team, username="bob")
    Project.objects.filter(pk=project.pk).update(visibility=Visibility.RESTRICTED)
    waiting(project, "CREATE_ARTIFACT", action="EMAIL", mail_to=[bob], is_of_team=True)
    make_version(project)
    OutboxMail.objects.all().delete()
    told()
    assert not OutboxMail.objects.exists()


def test_several_changes_are_gathered_in_one_mail_with_a_line_each(project: Project) -> None:
    bob = make_member(project.team, username="bob")
    waiting(project, "CREATE_ARTIFACT", action="EMAIL", mail_to=[bob], name="New")
    for name in ("one", "two"):
        make_version(project, name)
    OutboxMail.objects.all().delete()
    told()
    mail = OutboxMail.objects.get()
    assert mail.subject.endswith("New: 2 artifact changes")
    assert "one:v0 was created." in mail.text
    assert "two:v0 was created." in mail.text


def test_a_change_takes_as_many_statements_as_automations_wait_or_not(
    project: Project, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        waiting(project, "ADD_COLLECTION_TAG", name=str(number))
    collection = make_version(project).collection
    changes = CollectionChanges(tags_to_add=["a"])
    with django_assert_max_num_queries(12):
        update_collection(actor=SYSTEM, collection=collection, changes=changes)


def test_a_collection_has_no_runs_to_wait_for(project: Project) -> None:
    collection = make_version(project).collection
    with pytest.raises(Invalid, match="only use artifact events"):
        make_automation(project, "RUN_STATE", states("FAILED"), collection=collection)
    with pytest.raises(Invalid, match="does not belong"):
        waiting(ProjectFactory(team=project.team), "CREATE_ARTIFACT", collection=collection)


def test_a_copy_stays_with_the_collection_unless_it_goes_to_another_project(project: Project) -> None:
    collection = make_version(project).collection
    automation = waiting(project, "CREATE_ARTIFACT", collection=collection)
    there = ProjectFactory(team=project.team)
    assert copy_automation(actor=SYSTEM, automation=automation, name="a").collection == collection
    assert copy_automation(actor=SYSTEM, automation=automation, name="b", project=there).collection is None


class TestPages:
    FORM = {"event": "CREATE_ARTIFACT", "scope": "cifar", "action": "NO_OP", "name": "new", "once_in_s": "0"}

    @pytest.fixture
    def member(self, client: Client, project: Project) -> Any:
        user = make_member(project.team, username="mia")
        client.force_login(user)
        return user

    def post(self, client: Client, **more: str) -> Any:
        return client.post(
            reverse("automations:automation_new", args=["vision", "cifar"]), {**self.FORM, **more}
        )

    def test_the_editor_makes_one_of_a_collection(
        self, client: Client, member: Any, project: Project
    ) -> None:
        collection = make_version(project, "resnet").collection
        answer = self.post(client, collection="resnet")
        assert answer.status_code == 302
        automation = Automation.objects.get()
        assert (automation.collection, automation.project) == (collection, project)
        page = client.get(answer.headers["Location"]).content.decode()
        assert "cifar/resnet" in page

    def test_a_collection_that_is_not_there_is_said_beside_its_field(
        self, client: Client, member: Any
    ) -> None:
        answer = self.post(client, collection="nothing")
        assert answer.status_code == 422
        assert "vision/cifar/nothing" in answer.content.decode()

    def test_a_preview_says_that_there_is_none(self, client: Client, member: Any) -> None:
        assert "Artifact events have no preview." in self.post(client, part="preview").content.decode()

    def test_of_all_projects_there_is_no_collection(self, client: Client, project: Project) -> None:
        client.force_login(make_member(project.team))
        answer = self.post(client, collection="resnet", scope="*")
        assert answer.status_code == 422
        assert "Choose the project of the collection." in answer.content.decode()

    def test_the_history_leads_to_the_artifact_and_hides_it_from_who_may_not_see_it(
        self, client: Client, member: Any, project: Project
    ) -> None:
        automation = waiting(project, "CREATE_ARTIFACT", is_of_team=True)
        make_version(project, "resnet")
        told()
        url = reverse("automations:team_automation", args=["vision", automation.pk])
        page = client.get(url).content.decode()
        assert "resnet:v0 was created." in page
        assert 'href="/vision/cifar/artifacts/model/resnet/v0"' in page
        renamed = CollectionChanges(name="resnet-50")
        update_collection(actor=SYSTEM, collection=Collection.objects.get(), changes=renamed)
        assert 'href="/vision/cifar/artifacts/model/resnet-50/v0"' in client.get(url).content.decode()
        Project.objects.filter(pk=project.pk).update(visibility=Visibility.RESTRICTED)
        page = client.get(url).content.decode()
        assert "resnet" not in page
        assert "An artifact that is deleted or not visible to you" in page


def test_rest_makes_and_shows_one_of_a_collection(client: Client, project: Project) -> None:
    client.force_login(make_member(project.team, username="mia"))
    make_version(project, "resnet")
    body = {
        "entity": "vision", "project": "cifar", "collection": "resnet", "name": "a", "event": "CREATE_ARTIFACT",
        "filter": {}, "action": "NO_OP",
    }  # fmt: skip
    answer = client.post("/api/v1/automations/", body, "application/json")
    assert (answer.status_code, answer.json()["collection"]) == (201, "resnet")
    answer = client.post("/api/v1/automations/", {**body, "project": None}, "application/json")
    assert answer.status_code == 400
    answer = client.post("/api/v1/automations/", {**body, "collection": "nothing"}, "application/json")
    assert answer.status_code == 404


def test_the_page_of_an_event_is_found_after_its_project_was_renamed(
    project: Project, client: Client
) -> None:
    waiting(project, "CREATE_ARTIFACT")
    make_version(project, "resnet")
    rename_project(actor=SYSTEM, project=project, name="cifar-10")
    client.force_login(make_member(project.team))
    shown = client.get(Event.objects.get().data["path"], follow=True)
    assert shown.redirect_chain == [(f"/{project.team.name}/cifar-10/artifacts/model/resnet/v0", 307)]
    assert shown.status_code == 200
