"""Queries that are built once answer as those that Django builds each time."""

from collections import Counter
from typing import Any

import pytest
from django.db.models import F, Q, QuerySet

from accounts.models import User
from common.database.kept_queries import KeptQuery
from runs.models import Project, Run
from tests.factories import ProjectFactory, RunFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.dialect]


def test_objects_come_with_what_is_selected_along(django_assert_num_queries: Any):
    run = RunFactory.create()
    kept = KeptQuery(
        lambda project, uid: (
            Run.objects.select_related("project__team", "user", "pulse")
            .annotate(twice=F("number") * 2)
            .filter(project__name=project, uid=uid)
        )
    )
    expected = run.project.team, run.user, run.pulse
    with django_assert_num_queries(1):
        found = kept.get(run.project.name, run.uid)
        assert (found.project.team, found.user, found.pulse) == expected
    assert found == run
    assert vars(found)["twice"] == 2 * run.number
    assert (found.config_flat, found.created_at) == (run.config_flat, run.created_at)
    assert kept.first(run.project.name, "another") is None
    assert kept.first("another", run.uid) is None
    assert kept.first(run.project.name, None) is None
    assert kept.all(None, run.uid) == []


def test_a_text_is_built_once_and_every_value_is_its_own():
    asked: Counter[str] = Counter()

    def build(name: str) -> QuerySet[User]:
        asked["times"] += 1
        return User.objects.filter(Q(username=name) | Q(email=name))

    kept = KeptQuery(build)
    users = [UserFactory.create() for _ in range(3)]
    assert [kept.get(user.username) for user in users] == users
    assert kept.first("'; DROP TABLE accounts_user; --") is None
    assert kept.first("%s") is None
    with pytest.raises(User.DoesNotExist):
        kept.get("nobody")
    assert asked["times"] == 2  # the second tells the error's class


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 600])
def test_lists_of_any_length_are_asked_for_in_few_texts(count: int):
    built: list[int] = []

    def build(keys: list[int]) -> QuerySet[Project]:
        built.append(len(keys))
        return Project.objects.filter(pk__in=keys)

    kept = KeptQuery(build)
    project = ProjectFactory.create()
    other = ProjectFactory.create()
    keys = [project.pk, *range(10**9, 10**9 + count - 1)] if count else []
    for _ in range(2):
        assert kept.all(keys) == ([project] if count else [])
    assert other not in kept.all([project.pk])
    assert all(length & (length - 1) == 0 for length in built)
    assert len(built) == len(set(built))


def test_rows_of_values_are_converted():
    run = RunFactory.create()
    kept = KeptQuery(lambda pk: Run.objects.filter(pk=pk).values_list("created_at", "tags", "project__name"))
    assert list(map(tuple, kept.rows(run.pk))) == [(run.created_at, run.tags, run.project.name)]


def test_what_no_row_can_meet_is_answered_without_asking(django_assert_num_queries: Any):
    kept = KeptQuery(lambda pk: Run.objects.none().filter(pk=pk))
    with django_assert_num_queries(0):
        assert kept.first(1) is None
        assert kept.all(1) == kept.rows(1) == []
