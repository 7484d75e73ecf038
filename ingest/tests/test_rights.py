"""Remembered rights of streams: they hold less long than an SDK waits, so a key's runs are asked for together."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import pytest

from access.actor import SYSTEM
from accounts.models import User
from ingest.authorization import permission_cache as module
from ingest.authorization.checks import loggable_run_ids
from ingest.authorization.permission_cache import Names, PermissionCache
from runs.bulk_actions.deletion import delete_run
from runs.models import Project
from tests.factories import ProjectFactory, RunFactory, UserFactory, actor

HEADER = "Basic a"
ONE, OTHER, NEW = ("ada", "p", "one"), ("ada", "p", "other"), ("ada", "p", "new")
FOUND = {ONE: 1, OTHER: 2}


async def remembering(found: dict[Names, int]) -> PermissionCache:
    """Return rights that listen to the tests' Redis and have been told of these runs."""
    rights = PermissionCache()
    rights.remember(HEADER, {}, generation=rights.generation)
    while not rights._is_listening:  # noqa: ASYNC110 - nothing tells
        await asyncio.sleep(0.01)
    rights.remember(HEADER, found, generation=rights.generation)
    return rights


async def end(rights: PermissionCache) -> None:
    assert rights._listener is not None
    rights._listener.cancel()
    await asyncio.gather(rights._listener, return_exceptions=True)


@pytest.mark.asyncio
async def test_who_asks_for_one_run_asks_for_the_others_of_its_key() -> None:
    rights = await remembering(FOUND)
    with rights.single_flight(HEADER, NEW) as mine, rights.single_flight("Basic b", NEW) as others:
        assert (set(mine), others) == ({ONE, OTHER, NEW}, [NEW])
    await end(rights)


@pytest.mark.asyncio
async def test_who_posts_while_somebody_asks_waits_for_that_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PERMISSION_TTL_S", 0.0)
    rights = await remembering(FOUND)
    monkeypatch.undo()
    with rights.single_flight(HEADER, ONE):
        waiting = asyncio.create_task(rights.wait_for_inflight(HEADER, OTHER))
        await asyncio.sleep(0)
        assert not waiting.done()
        rights.remember(HEADER, FOUND, generation=rights.generation)
    assert await waiting == FOUND[OTHER]
    await end(rights)


@pytest.mark.asyncio
async def test_runs_that_come_while_somebody_asks_are_asked_for_by_the_next() -> None:
    rights = await remembering({})
    with rights.single_flight(HEADER, ONE):
        waiting = [asyncio.create_task(rights.wait_for_inflight(HEADER, names)) for names in (OTHER, NEW)]
        await asyncio.sleep(0)
    with rights.single_flight(HEADER, OTHER) as runs:
        assert set(runs) == {OTHER, NEW}
    assert await asyncio.gather(*waiting) == [None, None]
    await end(rights)


@pytest.mark.asyncio
async def test_nobody_waits_for_another_key() -> None:
    rights = await remembering({})
    with rights.single_flight(HEADER, ONE):
        assert await rights.wait_for_inflight("Basic b", ONE) is None
    await end(rights)


@pytest.mark.asyncio
async def test_a_run_that_posts_no_more_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rights = await remembering(FOUND)
    monkeypatch.setattr(module, "UNUSED_AFTER_S", 0.05)
    await asyncio.sleep(0.06)
    rights.remember(HEADER, FOUND, generation=rights.generation)  # asked for, not used
    with rights.single_flight(HEADER, ONE) as runs:
        assert runs == [ONE]
    await end(rights)


@pytest.mark.asyncio
async def test_a_right_runs_out_however_often_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PERMISSION_TTL_S", 0.0)
    rights = await remembering(FOUND)
    assert rights.get(HEADER, ONE) is None
    await end(rights)


@pytest.fixture
def ada(db: None) -> User:
    return UserFactory(username="ada")


@pytest.fixture
def project(ada: User) -> Project:
    return ProjectFactory(team=ada.memberships.get().team, name="p")


def test_runs_are_known_by_the_names_they_have_now(ada: User, project: Project) -> None:
    run = RunFactory(project=project, uid="one")
    Project.objects.filter(pk=project.pk).update(name="renamed")
    paths = [("ada", "p", "one"), ("ada", "renamed", "one")]
    assert loggable_run_ids(actor(ada), paths) == {("ada", "renamed", "one"): run.pk}


def test_runs_that_were_deleted_or_are_not_theirs_are_left_out(ada: User, project: Project) -> None:
    runs = [RunFactory(project=project), RunFactory(project=project), RunFactory()]
    delete_run(actor=SYSTEM, run=runs[1])
    paths = [(run.project.team.name, run.project.name, run.uid) for run in runs]
    assert list(loggable_run_ids(actor(ada), paths).values()) == [runs[0].pk]


def test_a_name_that_the_database_cannot_hold_is_no_run(ada: User, project: Project) -> None:
    assert loggable_run_ids(actor(ada), [("ada", "p", "o\0ne\ud800")]) == {}


def test_twenty_runs_take_one_query(
    ada: User, project: Project, django_assert_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    paths = [("ada", "p", RunFactory(project=project).uid) for _ in range(20)]
    who = actor(ada)
    with django_assert_num_queries(1):
        found = loggable_run_ids(who, paths)
    assert found.keys() == set(paths)
