"""Ctrl-K finds collections, for those who see them."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import include, path

from artifacts.collections.search import find_collections
from artifacts.tests.factories import make_version
from tests.factories import ProjectFactory, UserFactory, actor, make_member


def _page(_request: HttpRequest, **_names: str) -> HttpResponse:
    return HttpResponse()


_pages = [path("<entity>/<project>/artifacts/<name>", _page, name="collection")]
urlpatterns = [path("", include((_pages, "artifacts")))]
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def test_collections_are_found_by_words_of_their_name_and_type(django_assert_num_queries: Any):
    project = ProjectFactory()
    for name in ("cats-small", "cats-large", "dogs"):
        make_version(project, name, type_name="dataset")
    member = actor(make_member(project.team))
    with django_assert_num_queries(1):
        assert [hit.title for hit in find_collections(member, "cats small", 6)] == ["cats-small"]
    hits = list(find_collections(member, "Dataset cats", 6))
    assert {hit.title for hit in hits} == {"cats-small", "cats-large"}
    assert hits[0].detail == f"{project.team.name} / {project.name} / dataset"
    assert list(find_collections(member, " ", 6)) == []
    assert list(find_collections(actor(UserFactory()), "cats", 6)) == []
