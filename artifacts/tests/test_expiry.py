"""Versions whose time to live is over: told of, then deleted; policies of teams, shown before they act."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from artifacts.collections.services import CollectionChanges, update_collection
from artifacts.models import Collection, Version
from artifacts.retention import expiry, policy
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import restore_version
from artifacts.versions.links import link_version, unlink_version
from common.errors import Forbidden, Invalid
from runs.models import Project
from tests.factories import ProjectFactory, actor, delivered, make_member

pytestmark = pytest.mark.django_db

DAY_S = 86_400


@pytest.fixture
def project() -> Project:
    return ProjectFactory()


@pytest.fixture
def clock() -> Iterator[Any]:
    """A clock that tests set forward: it begins now, and stands still in between."""
    with time_machine.travel(timezone.now(), tick=False) as traveller:
        yield traveller


def days(count: float) -> timedelta:
    return timedelta(days=count)


def ends_after(version: Version, count: float) -> datetime:
    assert version.committed_at is not None
    return version.committed_at + days(count)


def lives(version: Version) -> bool:
    return Version.objects.live().filter(pk=version.pk).exists()


def test_a_version_is_announced_three_days_before_its_end_and_then_deleted(
    project: Project, clock: Any
) -> None:
    version = make_version(project, ttl_s=10 * DAY_S)
    clock.shift(days(6.9))
    assert expiry.announce_expiry() == 0
    clock.shift(days(0.2))
    assert expiry.announce_expiry() == 1
    assert expiry.announce_expiry() == 0
    clock.shift(days(2.8))
    assert expiry.expire_versions() == 0
    clock.shift(days(0.2))
    assert expiry.expire_versions() == 1
    assert not lives(version)
    assert AuditEntry.objects.filter(action="artifact.delete", actor_name="system").count() == 1


def test_what_is_announced_late_lives_a_day_longer(project: Project, clock: Any) -> None:
    version = make_version(project, ttl_s=10 * DAY_S)
    clock.shift(days(30))
    assert expiry.expire_versions() == 0
    assert expiry.announce_expiry() == 1
    assert expiry.expire_versions() == 0
    clock.shift(days(1))
    assert expiry.expire_versions() == 1
    assert not lives(version)


def test_a_version_made_to_live_an_hour_lives_an_hour(project: Project, clock: Any) -> None:
    version = make_version(project, ttl_s=3600)
    assert expiry.expire_versions() == 0
    clock.shift(timedelta(hours=1.1))
    assert expiry.expire_versions() == 1
    assert not lives(version)


@pytest.mark.parametrize("protects_collection", [False, True])
def test_nothing_protected_expires(project: Project, clock: Any, *, protects_collection: bool) -> None:
    version = make_version(project, ttl_s=3600)
    if protects_collection:
        changes = CollectionChanges(is_protected=True)
        update_collection(actor=SYSTEM, collection=version.collection, changes=changes)
    else:
        Version.objects.filter(pk=version.pk).update(is_protected=True)
    clock.shift(days(2))
    assert expiry.announce_expiry() == 0
    assert expiry.expire_versions() == 0


def test_a_linked_version_ends_once_it_is_linked_no_more(project: Project, clock: Any) -> None:
    """ART-5: a time to live never takes what a portfolio names; nor does the preview of a policy count it."""
    version = make_version(project)
    place = link_version(actor=SYSTEM, version=version, project=ProjectFactory(), name="released")
    policy.set_team_policy(actor=SYSTEM, team=project.team, ttl_s=DAY_S)
    clock.shift(days(30))
    assert policy.preview_policy(actor=SYSTEM, ttl_s=DAY_S, team=project.team).version_count == 0
    assert (expiry.announce_expiry(), expiry.expire_versions()) == (0, 0)
    unlink_version(actor=SYSTEM, version=version, collection=place.collection)
    assert policy.preview_policy(actor=SYSTEM, ttl_s=DAY_S, team=project.team).version_count == 1
    assert (expiry.announce_expiry(), expiry.expire_versions()) == (1, 0)
    clock.shift(days(1.1))
    assert expiry.expire_versions() == 1


def test_an_expired_version_that_is_restored_stays(project: Project, clock: Any) -> None:
    version = make_version(project, ttl_s=3600)
    clock.shift(days(1))
    expiry.expire_versions()
    restore_version(actor=SYSTEM, version=version)
    clock.shift(days(100))
    assert expiry.announce_expiry() == 0
    assert expiry.expire_versions() == 0


def test_one_mail_tells_the_creator_of_all(member_of: Any, clock: Any) -> None:
    project = ProjectFactory()
    creator, other = member_of(project.team), member_of(project.team)
    for content in (b"1", b"2"):
        make_version(project, "data", {"a": content}, ttl_s=2 * DAY_S, by=actor(creator))
    make_version(project, "model", ttl_s=2 * DAY_S, by=actor(creator))
    expiry.announce_expiry()
    [mail] = delivered()
    path = f"{project.team.name}/{project.name}"
    assert mail.to == [creator.email] != [other.email]
    assert f"{path}/data, 2 versions from v0 to v1, from " in mail.body
    assert f"{path}/model, v0, on " in mail.body


def test_where_no_creator_is_left_the_admins_are_told(member_of: Any, clock: Any) -> None:
    project = ProjectFactory()
    admin, _member = make_member(project.team, Preset.ADMIN), member_of(project.team)
    make_version(project, ttl_s=2 * DAY_S)
    expiry.announce_expiry()
    assert admin.email in [to for mail in delivered() for to in mail.to]
    assert _member.email not in [to for mail in delivered() for to in mail.to]


def test_a_policy_of_the_team_counts_where_nothing_else_is_said(project: Project, clock: Any) -> None:
    inherits = make_version(project, "inherits")
    own = make_version(project, "own", ttl_s=0)
    by_collection = make_version(project, "collection")
    changes = CollectionChanges(has_ttl=True, ttl_s=5 * DAY_S)
    update_collection(actor=SYSTEM, collection=by_collection.collection, changes=changes)
    elsewhere = make_version(ProjectFactory())
    policy.set_team_policy(actor=SYSTEM, team=project.team, ttl_s=2 * DAY_S)
    ends = dict(Version.objects.values_list("pk", "expires_at"))
    assert ends == {
        inherits.pk: ends_after(inherits, 2), own.pk: None, elsewhere.pk: None,
        by_collection.pk: ends_after(by_collection, 5),
    }  # fmt: skip
    policy.set_team_policy(actor=SYSTEM, team=project.team, ttl_s=0)
    inherits.refresh_from_db()
    assert inherits.expires_at is None
    assert AuditEntry.objects.filter(action="artifact.set_retention").count() == 2


def test_a_collection_that_inherits_again_follows_its_team(project: Project, clock: Any) -> None:
    version = make_version(project)
    policy.set_team_policy(actor=SYSTEM, team=project.team, ttl_s=2 * DAY_S)
    for ttl_s, expected in ((0, None), (None, ends_after(version, 2))):
        changes = CollectionChanges(has_ttl=True, ttl_s=ttl_s)
        update_collection(actor=SYSTEM, collection=version.collection, changes=changes)
        version.refresh_from_db()
        assert version.expires_at == expected


@pytest.mark.parametrize("kept_by", ["", "protection", "protection of all", "a link"])
def test_pages_and_programs_are_given_the_date_only_of_what_will_end(
    client: Any, project: Project, kept_by: str
) -> None:
    """ART-5: no date is said of what a protection or a link keeps."""
    version = make_version(project, ttl_s=2 * DAY_S)
    if kept_by == "a link":
        link_version(actor=SYSTEM, version=version, project=project, name="portfolio")
    elif kept_by:
        rows = Collection.objects.all() if kept_by == "protection of all" else Version.objects.all()
        rows.update(is_protected=True)
    client.force_login(make_member(project.team, Preset.ADMIN))
    row = version.collection
    names = [project.team.name, project.name, row.type.name, row.name]
    end = ends_after(version, 2)
    for page in (
        reverse("artifacts:collection", args=names),
        reverse("artifacts:version", args=[*names, "v0"]),
    ):
        assert (date_format(end, "DATE_FORMAT") in client.get(page).content.decode()) == (not kept_by), page
    [listed] = client.get(f"/api/v1/artifact-collections/{row.pk}/versions/").json()["results"]
    assert (listed["expires_at"] is None) == bool(kept_by)


def test_only_who_may_sets_the_policy_or_sees_what_it_would_do(member_of: Any, project: Project) -> None:
    member = actor(member_of(project.team))
    with pytest.raises(Forbidden):
        policy.set_team_policy(actor=member, team=project.team, ttl_s=0)
    with pytest.raises(Forbidden):
        policy.preview_policy(actor=member, team=project.team, ttl_s=0)
    with pytest.raises(Invalid, match="between 0"):
        policy.set_team_policy(actor=SYSTEM, team=project.team, ttl_s=-1)


def test_a_policy_is_shown_before_it_acts(project: Project, clock: Any) -> None:
    old = make_version(project, "old", {"a": b"old"})
    clock.shift(days(40))
    make_version(project, "new", {"a": b"newer"})
    protected = make_version(project, "kept", {"a": b"kept"})
    Version.objects.filter(pk=protected.pk).update(is_protected=True)
    shown = {
        count: policy.preview_policy(actor=SYSTEM, team=project.team, ttl_s=count * DAY_S)
        for count in (0, 10, 60, 80)
    }
    assert shown == {
        0: policy.Preview(0, 0), 10: policy.Preview(2, 8), 60: policy.Preview(1, 3), 80: policy.Preview(0, 0),
    }  # fmt: skip
    of_one = policy.preview_policy(actor=SYSTEM, collection=old.collection, ttl_s=10 * DAY_S)
    assert of_one == policy.Preview(1, 3)
