"""Who may do what to artifacts, asked of every service (TEAM-21, TEAM-31): what is not given is denied."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import ModuleType

import pytest
from django.db import transaction
from django.utils import timezone

from access.actions import Preset
from access.actor import SYSTEM, Actor
from artifacts.access import ArtifactAction
from artifacts.collections import services as collections
from artifacts.drafts import commit, manifests, parts, uploads
from artifacts.drafts import services as drafts
from artifacts.drafts.services import Given
from artifacts.drafts.uploads import FileSpec
from artifacts.lineage import services as lineage
from artifacts.models import Collection, Membership, Version
from artifacts.retention import policy
from artifacts.tests.factories import make_draft, make_version, md5_of, place_of, send_manifest
from artifacts.versions import aliases, deletion, links
from artifacts.versions import services as versions
from common.errors import DomainError, Forbidden, NotFound
from ingest.key_scopes import LOG_RUNS, READ_ONLY
from runs.models import Project, Run
from teams.models import Visibility
from teams.roles.builtin import built_in
from tests.factories import ProjectFactory, RunFactory, ServiceAccountFactory, actor, custom_role, make_member

pytestmark = pytest.mark.django_db

A = ArtifactAction


@dataclass
class World:
    """What somebody wants to change."""

    project: Project
    run: Run = field(init=False)
    version: Version = field(init=False)
    deleted: Version = field(init=False)
    draft: Version = field(init=False)
    link: Membership = field(init=False)
    gone: Collection = field(init=False)

    def __post_init__(self) -> None:
        self.run = RunFactory(project=self.project)
        self.version = make_version(self.project)
        self.deleted = make_version(self.project, "deleted")
        deletion.delete_version(actor=SYSTEM, version=self.deleted, with_aliases=True)
        self.draft = make_draft(self.project, "draft")
        linked = make_version(self.project, "linked", aliases=["x"])
        self.link = links.link_version(actor=SYSTEM, version=linked, project=self.project, name="portfolio")
        self.gone = make_version(self.project, "gone").collection
        collections.delete_collection(actor=SYSTEM, collection=self.gone)


Act = Callable[[Actor, World], object]
GIVEN = Given("model", "new", "digest")

ACTS: dict[str, tuple[ArtifactAction, Act]] = {
    "begin_version": (
        A.CREATE, lambda a, w: drafts.begin_version(actor=a, project=w.project, run=None, given=GIVEN),
    ),
    "addresses_for": (
        A.CREATE, lambda a, w: uploads.addresses_for(actor=a, files=[FileSpec(w.draft.pk, "a", md5_of(b"a"))]),
    ),
    "announce_manifest": (A.CREATE, lambda a, w: send_manifest(w.draft, b'{"contents": {}}', by=a)),
    "complete_parts": (
        A.CREATE, lambda a, w: parts.complete_parts(actor=a, version=w.draft, key=with_parts(w), parts=[]),
    ),
    "give_up_parts": (
        A.CREATE, lambda a, w: parts.give_up_parts(actor=a, version=w.draft, key=with_parts(w)),
    ),
    "commit_version": (A.CREATE, lambda a, w: commit.commit_version(actor=a, version=w.draft)),
    "create_type": (A.CREATE, lambda a, w: collections.create_type(actor=a, project=w.project, name="new")),
    "link_version": (
        A.CREATE, lambda a, w: links.link_version(actor=a, version=w.version, project=w.project, name="mine"),
    ),
    "unlink_version": (
        A.DELETE,
        lambda a, w: links.unlink_version(actor=a, version=w.link.version, collection=w.link.collection),
    ),
    "add_aliases": (
        A.SET_ALIAS, lambda a, w: aliases.add_aliases(actor=a, membership=place_of(w.version), names=["new"]),
    ),
    "delete_aliases": (
        A.DELETE_ALIAS,
        lambda a, w: aliases.delete_aliases(actor=a, membership=place_of(w.link.version), names=["x"]),
    ),
    "update_version": (
        A.UPDATE,
        lambda a, w: versions.update_version(actor=a, version=w.version, changes=versions.Changes("new")),
    ),
    "delete_version": (
        A.DELETE, lambda a, w: deletion.delete_version(actor=a, version=w.version, with_aliases=True),
    ),
    "delete_some": (
        A.DELETE,
        lambda a, w: deletion.delete_some(
            actor=a, collection=w.version.collection, versions=Version.objects.all(), at=timezone.now()
        ),
    ),
    "restore_some": (
        A.DELETE,
        lambda a, w: deletion.restore_some(
            actor=a, collection=w.deleted.collection, at=w.deleted.deleted_at or timezone.now()
        ),
    ),
    "unlink_some": (
        A.DELETE,
        lambda a, w: links.unlink_some(
            actor=a, collection=w.link.collection, memberships=Membership.objects.all()
        ),
    ),
    "link_some_again": (
        A.DELETE, lambda a, w: deletion.link_some_again(actor=a, collection=w.link.collection, links=[]),
    ),
    "delete_some_of_collection": (
        A.DELETE,
        lambda a, w: collections.delete_some_of_collection(
            actor=a, collection=w.version.collection, at=timezone.now()
        ),
    ),
    "restore_some_of_collection": (
        A.DELETE,
        lambda a, w: collections.restore_some_of_collection(
            actor=a, collection=w.gone, at=w.gone.deleted_at or timezone.now()
        ),
    ),
    "restore_version": (A.DELETE, lambda a, w: deletion.restore_version(actor=a, version=w.deleted)),
    "update_collection": (
        A.UPDATE,
        lambda a, w: collections.update_collection(
            actor=a, collection=w.version.collection, changes=collections.CollectionChanges("new")
        ),
    ),
    "change_type": (
        A.UPDATE,
        lambda a, w: collections.change_type(actor=a, collection=w.version.collection, type_name="new"),
    ),
    "delete_collection": (
        A.DELETE, lambda a, w: collections.delete_collection(actor=a, collection=w.version.collection),
    ),
    "restore_collection": (A.DELETE, lambda a, w: collections.restore_collection(actor=a, collection=w.gone)),
    "use_version": (
        A.VIEW, lambda a, w: lineage.use_version(actor=a, run=w.run, version=w.version),
    ),
    "set_team_policy": (
        A.SET_RETENTION, lambda a, w: policy.set_team_policy(actor=a, team=w.project.team, ttl_s=60),
    ),
    "preview_policy": (
        A.SET_RETENTION, lambda a, w: policy.preview_policy(actor=a, team=w.project.team, ttl_s=60),
    ),
}  # fmt: skip
"""Each service: the action that it takes, and a call of it that nothing else refuses."""

OF_DRAFTS = {"addresses_for", "announce_manifest", "complete_parts", "give_up_parts", "commit_version"}
FOR_ADMINS = {"set_team_policy", "preview_policy"}
MODULES = (
    aliases, collections, commit, deletion, drafts, lineage, links, manifests, parts, policy, uploads, versions,
)  # fmt: skip


def with_parts(world: World) -> str:
    """Return the key of an upload in parts of the draft."""
    spec = FileSpec(world.draft.pk, "big", md5_of(b"big"), [(1, "00" * 16)])
    return uploads.addresses_for(actor=SYSTEM, files=[spec])[0].upload_key


def services(module: ModuleType) -> set[str]:
    """Return the functions of a module that somebody calls as an actor, by name."""
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and (given := inspect.signature(function).parameters.get("actor"))
        and given.kind is inspect.Parameter.KEYWORD_ONLY
    }


@pytest.fixture
def world() -> World:
    return World(ProjectFactory())


def refusals(by: Actor, world: World) -> dict[str, type[DomainError] | None]:
    """Return how somebody is refused each service: by the permission, not by what they give. Nothing stays changed."""
    found: dict[str, type[DomainError] | None] = {}
    for name, (_action, act) in ACTS.items():
        found[name] = None
        with transaction.atomic():
            try:
                act(by, world)
            except (Forbidden, NotFound) as error:
                found[name] = type(error)
            except DomainError:
                pass
            transaction.set_rollback(True)
    return found


def reached(by: Actor, world: World) -> set[str]:
    return {name for name, error in refusals(by, world).items() if error is None}


def everywhere(error: type[DomainError]) -> dict[str, type[DomainError] | None]:
    return dict.fromkeys(ACTS, error)


def test_every_service_is_asked() -> None:
    assert set().union(*map(services, MODULES)) == ACTS.keys()


def test_strangers_find_nothing(world: World) -> None:
    for by in (Actor(), actor(make_member(ProjectFactory().team, Preset.ADMIN))):
        assert refusals(by, world) == everywhere(NotFound)


def test_who_may_only_view_changes_nothing(world: World) -> None:
    team = world.project.team
    bot = ServiceAccountFactory(team=team, role=built_in(Preset.VIEW_ONLY))
    for by in (actor(make_member(team, Preset.VIEW_ONLY)), actor(bot)):
        assert refusals(by, world) == everywhere(Forbidden)


def test_a_public_project_lets_nobody_change_anything(world: World) -> None:
    Project.objects.filter(pk=world.project.pk).update(visibility=Visibility.PUBLIC)
    world.project.refresh_from_db()
    stranger = actor(make_member(ProjectFactory().team))
    assert refusals(stranger, world) == everywhere(Forbidden) | dict.fromkeys(FOR_ADMINS, NotFound)


def test_members_and_their_bots_may_all_but_what_admins_may(world: World) -> None:
    team = world.project.team
    for by in (actor(make_member(team)), actor(ServiceAccountFactory(team=team))):
        assert reached(by, world) == ACTS.keys() - FOR_ADMINS
    assert reached(actor(make_member(team, Preset.ADMIN)), world) == ACTS.keys()


def test_an_action_that_a_role_lacks_is_denied_though_it_has_all_others(world: World) -> None:
    team = world.project.team
    assert team.organization is not None
    for lacking in {action for action, _act in ACTS.values()}:
        role = custom_role(team.organization, {one for one in A if one is not lacking})
        may = reached(actor(make_member(team, role)), world)
        assert may
        assert not {name for name in may if ACTS[name][0] is lacking}


def test_a_key_reaches_no_further_than_its_scopes(world: World) -> None:
    """Drafts that others log take the right to edit, which no key for logging reaches."""
    admin = actor(make_member(world.project.team, Preset.ADMIN))
    assert reached(replace(admin, scopes=READ_ONLY), world) == set()
    logging = {name for name, (action, _act) in ACTS.items() if str(action) in LOG_RUNS}
    assert reached(replace(admin, scopes=LOG_RUNS), world) == logging - OF_DRAFTS
    Version.objects.filter(pk=world.draft.pk).update(created_by=admin.user_id)
    assert reached(replace(admin, scopes=LOG_RUNS), world) == logging
